#include "app/designer/plan_strip.h"

#include <QHBoxLayout>
#include <QTabWidget>
#include <QVBoxLayout>

#include "app/designer/comparison_panel.h"
#include "app/designer/pipeline_panel.h"
#include "app/designer/scaling_panel.h"
#include "app/designer/schedule_preview.h"
#include "app/designer/step_time_bar.h"
#include "app/models/theme.h"
#include "app/widgets/roles.h"

namespace trainyard {

namespace {

double presentEfficiency(const BackgroundPlan::Outlook& outlook)
{
    const auto present = outlook.ok() ? outlook->present() : std::nullopt;
    return present ? present->efficiency : qQNaN();
}

std::optional<StepTime> stepOf(const PlannedDesign& design)
{
    return design.hasTime() ? std::optional(design.time().step) : std::nullopt;
}

} // namespace

PlanStrip::PlanStrip(SpecDocument& document, QWidget* parent)
    : QWidget(parent)
    , m_pipeline(new PipelinePanel)
    , m_tabs(new QTabWidget)
    , m_scaling(new ScalingPanel)
    , m_learningRate(new SchedulePreview)
    , m_comparison(new ComparisonPanel(document))
{
    m_tabs->addTab(m_scaling, tr("Scaling"));
    m_tabs->addTab(m_learningRate, tr("Learning rate"));
    m_tabs->addTab(m_comparison, tr("Comparison"));
    auto* panel = makePanel();
    auto* inside = new QVBoxLayout(panel);
    inside->setContentsMargins(metrics::kPanelPadding, 0, metrics::kPanelPadding, metrics::kGap);
    inside->addWidget(m_tabs);
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(metrics::kPanelPadding);
    row->addWidget(m_pipeline, 1);
    row->addWidget(panel, 1);

    connect(&m_background, &BackgroundPlan::timelineReady, this, &PlanStrip::onTimeline);
    connect(&m_background, &BackgroundPlan::outlookReady, this, &PlanStrip::onOutlook);
    connect(m_scaling, &ScalingPanel::scalingChosen, &m_background, &BackgroundPlan::setScaling);
    connect(&m_background, &BackgroundPlan::keptOutlookReady, this, &PlanStrip::onKeptOutlook);
    connect(m_comparison, &ComparisonPanel::keptChanged, this, &PlanStrip::onKept);
}

void PlanStrip::showDesign(const PlannedDesign& design)
{
    const bool hadTime = m_design.hasTime();
    m_design = design;
    m_learningRate->setSpec(design.spec);
    m_comparison->setPresent(design);
    showStepTime();
    if (design.hasTime()) {
        if (!hadTime)
            showNothing(tr("Working it out…"));
        return m_background.setDesign(design);
    }
    m_background.clear();
    showNothing(timeObstacleInShort(design));
    emit efficiencyChanged(qQNaN());
}

void PlanStrip::showNothing(const QString& why)
{
    m_pipeline->showNothing(why);
    m_scaling->showNothing(why);
}

const std::optional<PlannedDesign>& PlanStrip::kept() const
{
    return m_comparison->kept();
}

void PlanStrip::keepForComparison()
{
    m_comparison->keepPresent();
    m_tabs->setCurrentWidget(m_comparison);
}

void PlanStrip::showStepTime()
{
    m_pipeline->stepTime().setSteps(stepOf(m_design), kept() ? stepOf(*kept()) : std::nullopt);
}

void PlanStrip::onKept()
{
    showStepTime();
    m_scaling->showKept({});
    m_background.setKept(kept());
    emit keptChanged();
}

void PlanStrip::onTimeline(const BackgroundPlan::Timeline& timeline)
{
    if (timeline.ok())
        m_pipeline->showStep(*timeline, m_design.time().step);
    else
        m_pipeline->showNothing(QString::fromStdString(timeline.error().text()));
}

void PlanStrip::onOutlook(const BackgroundPlan::Outlook& outlook)
{
    m_design.efficiency = presentEfficiency(outlook);
    m_comparison->setPresent(m_design);
    if (outlook.ok())
        m_scaling->showOutlook(*outlook);
    else
        m_scaling->showNothing(QString::fromStdString(outlook.error().text()));
    emit efficiencyChanged(m_design.efficiency);
}

void PlanStrip::onKeptOutlook(const BackgroundPlan::Outlook& outlook)
{
    m_comparison->setKeptEfficiency(presentEfficiency(outlook));
    m_scaling->showKept(outlook.ok() ? *outlook : ScalingOutlook());
    emit keptChanged();
}

} // namespace trainyard
