#include "app/designer/plan_panels.h"

#include <algorithm>

#include "app/base/display_text.h"
#include "app/base/theme.h"
#include "app/charts/chart_fills.h"
#include "app/charts/chart_legend.h"
#include "app/charts/pipeline_gantt.h"
#include "app/designer/comparison_panel.h"
#include "app/designer/scaling_panel.h"
#include "app/designer/schedule_preview.h"
#include "app/designer/step_time_bar.h"
#include "app/plan/step_labels.h"
#include "app/widgets/elided_label.h"
#include "app/widgets/roles.h"
#include "app/workspace/panel_area.h"

namespace trainyard {

PipelinePanel::PipelinePanel(QWidget* parent)
    : QFrame(parent)
    , m_stepTime(new StepTimeBar)
    , m_readOut(new ElidedLabel("small"))
    , m_gantt(new PipelineGantt)
    , m_legend(new ChartLegend)
{
    setRole(this, "panel");
    auto* column = columnLayout(this, metrics::kHalf, metrics::kLowPanelMargins);
    column->addWidget(makeLabel(tr("One step"), "heading"));
    column->addWidget(m_stepTime);
    column->addWidget(m_readOut);
    column->addWidget(m_gantt, 1);
    column->addWidget(m_legend);
    connect(m_gantt, &PipelineGantt::readOutChanged, this,
            [this](const QString& text) { m_readOut->setFullText(text.isEmpty() ? m_summary : text); });
}

void PipelinePanel::showStep(std::shared_ptr<const StepTimeline> timeline, const StepTime& step)
{
    m_summary = pipelineSummary(*timeline, step);
    const auto& first = timeline->played.ranks.front();
    const bool split = std::any_of(first.begin(), first.end(), [](const TimedAction& timed) {
        return timed.action.kind == PipelineActionKind::BackwardWeight;
    });
    m_legend->setEntries(actionLegend(split));
    m_legend->show();
    m_stepTime->show();
    m_gantt->setTimeline(std::move(timeline));
    m_readOut->setFullText(m_summary);
}

void PipelinePanel::showNothing(const QString& why)
{
    m_summary.clear();
    m_stepTime->hide();
    m_legend->hide();
    m_gantt->setEmptyText(why);
    m_gantt->setTimeline(nullptr);
    m_readOut->setFullText({});
}

namespace {

double presentEfficiency(const BackgroundPlan::Forecast& forecast)
{
    const auto present = forecast.ok() ? forecast->present() : std::nullopt;
    return present ? present->efficiency : qQNaN();
}

std::optional<StepTime> stepOf(const PlannedDesign& design)
{
    return design.hasTime() ? std::optional(design.time().step) : std::nullopt;
}

QWidget* framed(QWidget* content)
{
    auto* panel = makePanel();
    auto* inside = columnLayout(panel, -1, metrics::kLowPanelMargins);
    inside->addWidget(content);
    return panel;
}

} // namespace

PlanPanels::PlanPanels(SpecDocument& document, PanelArea& area, QObject* parent)
    : QObject(parent)
    , m_area(area)
    , m_pipeline(new PipelinePanel)
    , m_scaling(new ScalingPanel)
    , m_learningRate(new SchedulePreview)
    , m_comparison(new ComparisonPanel(document))
{
    area.addPanel(QStringLiteral("pipeline"), tr("One step"), m_pipeline, PanelArea::Heading::Own);
    area.addPanel(QStringLiteral("scaling"), tr("Scaling"), framed(m_scaling), PanelArea::Heading::Bar);
    area.addPanel(QStringLiteral("learning-rate"), tr("Learning rate"), framed(m_learningRate),
                  PanelArea::Heading::Bar);
    area.addPanel(QStringLiteral("comparison"), tr("Comparison"), framed(m_comparison),
                  PanelArea::Heading::Bar);

    connect(&m_background, &BackgroundPlan::timelineReady, this, &PlanPanels::onTimeline);
    connect(&m_background, &BackgroundPlan::forecastReady, this, &PlanPanels::onForecast);
    connect(m_scaling, &ScalingPanel::scalingChosen, &m_background, &BackgroundPlan::setScaling);
    connect(&m_background, &BackgroundPlan::keptForecastReady, this, &PlanPanels::onKeptForecast);
    connect(m_comparison, &ComparisonPanel::keptChanged, this, &PlanPanels::onKept);
}

void PlanPanels::showDesign(const PlannedDesign& design)
{
    const bool hadTime = m_design.hasTime();
    m_design = design;
    m_learningRate->setSpec(design.spec);
    m_comparison->setPresent(design);
    showStepTime();
    if (design.hasTime()) {
        if (!hadTime)
            showNothing(tr("Computing…"));
        return m_background.setDesign(design);
    }
    m_background.clear();
    showNothing(timeObstacleInShort(design));
    emit efficiencyChanged(qQNaN());
}

void PlanPanels::showNothing(const QString& why)
{
    m_pipeline->showNothing(why);
    m_scaling->showNothing(why);
}

const std::optional<PlannedDesign>& PlanPanels::kept() const
{
    return m_comparison->kept();
}

void PlanPanels::keepForComparison()
{
    m_comparison->keepPresent();
    m_area.showPanel(*m_comparison);
}

void PlanPanels::showStepTime()
{
    m_pipeline->stepTime().setSteps(stepOf(m_design), kept() ? stepOf(*kept()) : std::nullopt);
}

void PlanPanels::onKept()
{
    showStepTime();
    m_scaling->showKept({});
    m_background.setKept(kept());
    emit keptChanged();
}

void PlanPanels::onTimeline(const BackgroundPlan::Timeline& timeline)
{
    if (timeline.ok())
        m_pipeline->showStep(*timeline, m_design.time().step);
    else
        m_pipeline->showNothing(displayError(timeline.error()));
}

void PlanPanels::onForecast(const BackgroundPlan::Forecast& forecast)
{
    m_design.efficiency = presentEfficiency(forecast);
    m_comparison->setPresent(m_design);
    if (forecast.ok())
        m_scaling->showForecast(*forecast);
    else
        m_scaling->showNothing(displayError(forecast.error()));
    emit efficiencyChanged(m_design.efficiency);
}

void PlanPanels::onKeptForecast(const BackgroundPlan::Forecast& forecast)
{
    m_comparison->setKeptEfficiency(presentEfficiency(forecast));
    m_scaling->showKept(forecast.ok() ? *forecast : ScalingForecast());
    emit keptChanged();
}

} // namespace trainyard
