#include <algorithm>

#include "app/alerts/alert_rules.h"
#include "app/base/display_text.h"
#include "app/runs/expert_balance.h"

namespace trainyard {

namespace {

constexpr std::int64_t kFirstBalanced = 100; ///< step; before it routers are still as they were drawn

} // namespace

QList<Alert> expertAlerts(const ObservedRun& run, const AlertThresholds& thresholds)
{
    const auto& load = run.series.expertLoad();
    if (!load || load->step < kFirstBalanced || load->layers.empty())
        return {};
    std::vector<LayerBalance> layers = balanceOf(*load);
    const LayerBalance& worst = *std::ranges::max_element(layers, {}, &LayerBalance::idle);
    if (worst.idle == 0 || worst.idle < thresholds.idleExperts * load->experts)
        return {};
    return {Alert{AlertKind::IdleExperts,
                  {},
                  Severity::Warning,
                  QObject::tr("In layer %1, %2 of %3 experts get less than a tenth of an even share of the "
                              "tokens; expert %4 gets %5 times one")
                      .arg(worst.layer)
                      .arg(worst.idle)
                      .arg(load->experts)
                      .arg(worst.busiest)
                      .arg(displayNumber(worst.most)),
                  {},
                  load->step}};
}

} // namespace trainyard
