#pragma once

#include <memory>

#include <QObject>

#include "app/base/pool_work.h"
#include "app/plan/planned_run.h"
#include "app/plan/scaling_forecast.h"
#include "engine/planner/time/step_timeline.h"

namespace trainyard {

/// Computes results that take longer than an edit may: the pipeline schedule action by action, and the
/// scaling of the current design and the one saved for comparison. Runs in other threads; only the newest
/// design is answered, older work is cancelled. GUI thread.
class BackgroundPlan : public QObject {
    Q_OBJECT
public:
    using Timeline = Result<std::shared_ptr<const StepTimeline>>;
    using Forecast = Result<ScalingForecast>;

    explicit BackgroundPlan(QObject* parent = nullptr);

    /// Requires a valid specification with a time.
    void setDesign(const PlannedDesign& design);
    /// The design to compare with; nullopt, or one without a time = no comparison.
    void setKept(const std::optional<PlannedDesign>& kept);
    void setScaling(Scaling scaling);
    /// Cancels the work on the current design.
    void clear();

signals:
    void timelineReady(const trainyard::BackgroundPlan::Timeline& timeline);
    void forecastReady(const trainyard::BackgroundPlan::Forecast& forecast);
    void keptForecastReady(const trainyard::BackgroundPlan::Forecast& forecast);

private:
    void predictScaling();
    void predictKept();

    PlannedDesign m_design;
    std::optional<PlannedDesign> m_kept;
    Scaling m_scaling = Scaling::Strong;
    LatestJob<Timeline> m_timeline;
    LatestJob<Forecast> m_forecast;
    LatestJob<Forecast> m_keptForecast;
};

} // namespace trainyard
