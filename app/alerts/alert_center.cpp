#include "app/alerts/alert_center.h"

#include <algorithm>

#include <QDateTime>

#include "app/alerts/alert_rules.h"
#include "app/runs/run_store.h"

namespace trainyard {

namespace {

constexpr int kClockMs = 1000;

/// "divergence", or "straggler and 2 more".
QString wordsFor(const QList<RaisedAlert>& alerts)
{
    if (alerts.isEmpty())
        return {};
    const QString first = titleOf(alerts.first().alert.kind);
    return alerts.size() == 1 ? first : QObject::tr("%1 and %2 more").arg(first).arg(alerts.size() - 1);
}

} // namespace

AlertCenter::AlertCenter(RunStore& store, std::filesystem::path file, QObject* parent)
    : QObject(parent), m_store(store), m_file(std::move(file))
{
    const auto settings = loadAlertSettings(m_file);
    if (settings.ok())
        m_settings = *settings;
    else
        m_problem = QString::fromStdString(settings.error().text());
    const RunListModel& list = store.list();
    for (int row = 0; row < list.rowCount(); ++row) {
        const auto entry = list.index(row, 0).data(RunListModel::EntryRole).value<RunEntry>();
        if (!entry.isOver())
            onRunChanged(entry.id);
    }
    connect(&store, &RunStore::runChanged, this, &AlertCenter::onRunChanged);
    connect(&m_clock, &QTimer::timeout, this, &AlertCenter::look);
    m_clock.start(kClockMs);
}

QList<RaisedAlert> AlertCenter::alertsOf(const QString& runId) const
{
    const auto found = m_watched.find(runId);
    return found == m_watched.end() ? QList<RaisedAlert>() : found->second.alerts;
}

void AlertCenter::setSettings(const AlertSettings& settings)
{
    if (settings == m_settings)
        return;
    m_settings = settings;
    const Status saved = saveAlertSettings(m_file, settings);
    m_problem = saved.ok() ? QString() : QString::fromStdString(saved.error().text());
    for (auto& [id, watched] : m_watched)
        watched.isDue = true;
    look();
}

void AlertCenter::watch(const QString& runId)
{
    if (m_watched.contains(runId))
        return;
    onRunChanged(runId);
    look();
}

void AlertCenter::onRunChanged(const QString& runId)
{
    Watched& watched = m_watched[runId];
    watched.isDue = true;
    if (watched.run)
        return;
    const auto run = m_store.open(runId);
    watched.run = run.ok() ? *run : nullptr;
}

void AlertCenter::look()
{
    std::erase_if(m_watched, [](const auto& watched) { return !watched.second.run; });
    const qint64 now = QDateTime::currentMSecsSinceEpoch();
    for (auto& [id, watched] : m_watched) {
        if (watched.isDue || !isFinal(watched.run->series().status().state))
            judge(id, watched, now);
    }
}

void AlertCenter::judge(const QString& runId, Watched& watched, qint64 nowMs)
{
    const OpenRun& run = *watched.run;
    const bool wasKnown = std::exchange(watched.isKnown, true);
    watched.isDue = false;
    QList<Alert> before;
    for (const RaisedAlert& raised : watched.alerts)
        before.append(raised.alert);
    QList<RaisedAlert> now;
    QList<Alert> fresh;
    for (const Alert& alert :
         alertsAfter(before, {run.facts(), run.series(), run.link(), nowMs}, m_settings.thresholds)) {
        const auto known = std::ranges::find_if(
            watched.alerts, [&](const RaisedAlert& raised) { return raised.alert.isSameAs(alert); });
        const bool isNew = known == watched.alerts.end();
        now.append({alert, isNew ? nowMs : known->sinceMs});
        if (isNew && wasKnown)
            fresh.append(alert);
    }
    if (now == watched.alerts)
        return;
    watched.alerts = now;
    m_store.list().setAlert(runId, wordsFor(now));
    emit changed(runId);
    for (const Alert& alert : fresh)
        emit raised(runId, alert);
}

} // namespace trainyard
