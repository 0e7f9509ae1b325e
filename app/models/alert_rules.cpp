#include "app/models/alert_rules.h"

#include <algorithm>

namespace trainyard {

QList<Alert> alertsOf(const ObservedRun& run, const AlertThresholds& thresholds)
{
    if (run.series.status().state == RunState::Finished)
        return {};
    QList<Alert> all = trainingAlerts(run, thresholds);
    all += paceAlerts(run, thresholds);
    all += hostAlerts(run, thresholds);
    std::ranges::stable_sort(all, {}, &Alert::kind);
    return all;
}

} // namespace trainyard
