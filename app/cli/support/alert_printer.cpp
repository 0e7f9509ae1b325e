#include "app/cli/support/alert_printer.h"

#include <algorithm>

#include <QDateTime>

#include "app/alerts/alert_rules.h"
#include "app/cli/support/console.h"
#include "app/cli/support/run_alerts.h"
#include "app/runs/open_run.h"
#include "remote/target/data_dirs.h"

namespace trainyard {

namespace {

bool contains(const QList<Alert>& alerts, const Alert& wanted)
{
    return std::ranges::any_of(alerts, [&](const Alert& alert) { return alert.isSameAs(wanted); });
}

} // namespace

AlertPrinter::AlertPrinter(const QString& runId) : m_thresholds(deskThresholds())
{
    if (auto facts = readRunFacts(QString::fromStdString(runDir(runId).string())); facts.ok())
        m_facts = std::move(facts).value();
}

void AlertPrinter::take(const QString& stream, const std::vector<Record>& records)
{
    m_series.apply(stream, records);
}

void AlertPrinter::forget(const QString& stream)
{
    m_series.forget(stream);
}

void AlertPrinter::print()
{
    const QList<Alert> now = alertsAfter(
        m_printed, {m_facts, m_series, runLinkOf(m_link), QDateTime::currentMSecsSinceEpoch()}, m_thresholds);
    for (const Alert& alert : now) {
        if (!contains(m_printed, alert))
            console::note(
                QStringLiteral("%1 alert, %2: %3").arg(shapeOf(alert)).arg(titleOf(alert.kind), alert.text));
    }
    for (const Alert& alert : m_printed) {
        if (!contains(now, alert))
            console::note(QStringLiteral("○ resolved, %1%2")
                              .arg(titleOf(alert.kind), alert.subject.isEmpty()
                                                            ? QString()
                                                            : QStringLiteral(" of ") + alert.subject));
    }
    m_printed = now;
}

} // namespace trainyard
