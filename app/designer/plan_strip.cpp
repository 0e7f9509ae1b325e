#include "app/designer/plan_strip.h"

#include <QHBoxLayout>
#include <QTabWidget>
#include <QVBoxLayout>

#include "app/designer/comparison_panel.h"
#include "app/designer/pipeline_panel.h"
#include "app/designer/scaling_panel.h"
#include "app/designer/schedule_preview.h"
#include "app/models/theme.h"
#include "app/widgets/roles.h"

namespace trainyard {

PlanStrip::PlanStrip(QWidget* parent)
    : QWidget(parent)
    , m_pipeline(new PipelinePanel)
    , m_tabs(new QTabWidget)
    , m_scaling(new ScalingPanel)
    , m_learningRate(new SchedulePreview)
    , m_comparison(new ComparisonPanel)
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
    connect(m_comparison, &ComparisonPanel::keptChanged, this, &PlanStrip::keptChanged);
    connect(m_comparison, &ComparisonPanel::swapped, this, &PlanStrip::swapped);
}

void PlanStrip::showDesign(const PlannedDesign& design)
{
    m_design = design;
    m_learningRate->setSpec(design.spec);
    m_comparison->setPresent(design);
    if (design.hasTime())
        return m_background.setDesign(design);
    const QString obstacle = timeObstacle(design);
    m_background.clear();
    m_pipeline->showNothing(obstacle);
    m_scaling->showNothing(obstacle);
    emit efficiencyChanged(qQNaN());
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

void PlanStrip::onTimeline(const BackgroundPlan::Timeline& timeline)
{
    if (timeline.ok())
        m_pipeline->showStep(*timeline, m_design.time().step);
    else
        m_pipeline->showNothing(QString::fromStdString(timeline.error().text()));
}

void PlanStrip::onOutlook(const BackgroundPlan::Outlook& outlook)
{
    if (!outlook.ok()) {
        m_scaling->showNothing(QString::fromStdString(outlook.error().text()));
        return emit efficiencyChanged(qQNaN());
    }
    m_scaling->showOutlook(*outlook);
    const auto present = outlook->present();
    emit efficiencyChanged(present ? present->efficiency : qQNaN());
}

} // namespace trainyard
