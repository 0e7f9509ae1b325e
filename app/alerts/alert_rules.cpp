#include "app/alerts/alert_rules.h"

#include <algorithm>

namespace trainyard {

QList<Alert> alertsOf(const ObservedRun& run, const AlertThresholds& thresholds)
{
    if (run.series.status().state == RunState::Finished)
        return {};
    QList<Alert> all = trainingAlerts(run, thresholds);
    all += heldOutAlerts(run, thresholds);
    all += expertAlerts(run, thresholds);
    all += paceAlerts(run, thresholds);
    all += hostAlerts(run, thresholds);
    std::ranges::stable_sort(all, {}, &Alert::kind);
    return all;
}

QList<Alert> alertsAfter(const QList<Alert>& before, const ObservedRun& run,
                         const AlertThresholds& thresholds)
{
    QList<Alert> now = alertsOf(run, thresholds);
    if (before.isEmpty())
        return now;
    const auto isIn = [](const QList<Alert>& alerts, const Alert& wanted) {
        return std::ranges::any_of(alerts, [&](const Alert& alert) { return alert.isSameAs(wanted); });
    };
    for (const Alert& alert : alertsOf(run, eased(thresholds))) {
        if (isIn(before, alert) && !isIn(now, alert))
            now.append(alert);
    }
    std::ranges::stable_sort(now, {}, &Alert::kind);
    return now;
}

} // namespace trainyard
