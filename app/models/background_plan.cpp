#include "app/models/background_plan.h"

namespace trainyard {

namespace {

BackgroundPlan::Timeline timelineOf(const PlannedDesign& design)
{
    TRAINYARD_TRY(const StepModel model, StepModel::create(design.spec, design.shape, design.time().node));
    TRAINYARD_TRY(StepTimeline timeline, playStep(design.spec, model.costs()));
    return std::make_shared<const StepTimeline>(std::move(timeline));
}

BackgroundPlan::Outlook outlookOf(const PlannedDesign& design, Scaling scaling)
{
    return scalingOutlook(design.spec, design.shape, design.time().node, scaling);
}

} // namespace

BackgroundPlan::BackgroundPlan(QObject* parent)
    : QObject(parent)
    , m_timeline([this](const Timeline& timeline) { emit timelineReady(timeline); })
    , m_outlook([this](const Outlook& outlook) { emit outlookReady(outlook); })
{
}

void BackgroundPlan::setDesign(const PlannedDesign& design)
{
    m_design = design;
    m_timeline.start([design](const auto&) { return timelineOf(design); });
    predictScaling();
}

void BackgroundPlan::setScaling(Scaling scaling)
{
    m_scaling = scaling;
    if (m_design.hasTime())
        predictScaling();
}

void BackgroundPlan::predictScaling()
{
    m_outlook.start(
        [design = m_design, scaling = m_scaling](const auto&) { return outlookOf(design, scaling); });
}

void BackgroundPlan::clear()
{
    m_design = {};
    m_timeline.cancel();
    m_outlook.cancel();
}

} // namespace trainyard
