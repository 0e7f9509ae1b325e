#include "app/cli/support/run_alerts.h"

#include <QDateTime>
#include <QJsonObject>

#include "app/alerts/alert_rules.h"
#include "app/alerts/alert_settings.h"
#include "app/base/display_text.h"
#include "app/cli/support/console.h"
#include "app/runs/open_run.h"
#include "remote/target/data_dirs.h"

namespace trainyard {

AlertThresholds deskThresholds()
{
    const auto settings = loadAlertSettings(dataDir() / "alerts.json");
    if (!settings.ok())
        console::warn(QString::fromStdString(settings.error().text()));
    return settings.ok() ? settings->thresholds : AlertThresholds();
}

QList<Alert> openAlerts(const OpenRun& run, const AlertThresholds& thresholds)
{
    if (isFinal(run.series().status().state))
        return {};
    return alertsOf({run.facts(), run.series(), run.link(), QDateTime::currentMSecsSinceEpoch()}, thresholds);
}

QString alertWords(const QList<Alert>& alerts)
{
    QStringList words;
    for (const Alert& alert : alerts) {
        const QString about = alert.subject.isEmpty() ? QString() : QStringLiteral(" of ") + alert.subject;
        words.append(shapeOf(alert) + QLatin1Char(' ') + titleOf(alert.kind) + about);
    }
    return words.join(QStringLiteral(", "));
}

QJsonArray alertsJson(const QList<Alert>& alerts)
{
    QJsonArray array;
    for (const Alert& alert : alerts)
        array.append(QJsonObject{{"kind", nameOf(alert.kind)},
                                 {"severity", toQString(nameOf(alert.severity))},
                                 {"subject", alert.subject},
                                 {"rank", alert.rank ? QJsonValue(*alert.rank) : QJsonValue()},
                                 {"step", qint64(alert.step)},
                                 {"text", alert.text}});
    return array;
}

} // namespace trainyard
