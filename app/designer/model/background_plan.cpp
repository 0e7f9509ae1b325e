#include "app/designer/model/background_plan.h"

#include "app/plan/heterogeneous_step_time.h"

namespace trainyard {

namespace {

BackgroundPlan::Timeline timelineOf(const PlannedDesign& design, const std::function<bool(double)>& goesOn)
{
    TRAINYARD_TRY(const PipelineCosts costs, stepCostsOn(design.time(), design.spec, design.shape));
    if (!goesOn(0))
        return cancelled("the simulation of the step was stopped");
    TRAINYARD_TRY(StepTimeline timeline, playStep(design.spec, costs));
    return std::make_shared<const StepTimeline>(std::move(timeline));
}

} // namespace

BackgroundPlan::BackgroundPlan(QObject* parent)
    : QObject(parent)
    , m_timeline([this](const Timeline& timeline) { emit timelineReady(timeline); })
    , m_forecast([this](const Forecast& forecast) { emit forecastReady(forecast); })
    , m_keptForecast([this](const Forecast& forecast) { emit keptForecastReady(forecast); })
{
}

void BackgroundPlan::setDesign(const PlannedDesign& design)
{
    m_design = design;
    m_timeline.start([design](const auto& goesOn) { return timelineOf(design, goesOn); });
    predictScaling();
}

void BackgroundPlan::setKept(const std::optional<PlannedDesign>& kept)
{
    m_kept = kept;
    predictKept();
}

void BackgroundPlan::setScaling(Scaling scaling)
{
    m_scaling = scaling;
    if (m_design.hasTime())
        predictScaling();
    predictKept();
}

void BackgroundPlan::predictScaling()
{
    m_forecast.start([design = m_design, scaling = m_scaling](const auto& goesOn) {
        return scalingForecast(design, scaling, goesOn);
    });
}

void BackgroundPlan::predictKept()
{
    if (!m_kept || !m_kept->hasTime())
        return m_keptForecast.cancel();
    m_keptForecast.start([design = *m_kept, scaling = m_scaling](const auto& goesOn) {
        return scalingForecast(design, scaling, goesOn);
    });
}

void BackgroundPlan::clear()
{
    m_design = {};
    m_timeline.cancel();
    m_forecast.cancel();
}

} // namespace trainyard
