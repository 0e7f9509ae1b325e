#pragma once

#include <memory>

#include <QFrame>
#include <QObject>

#include "app/designer/model/background_plan.h"
#include "engine/planner/time/step_model.h"
#include "engine/planner/time/step_timeline.h"

namespace trainyard {

class ChartLegend;
class ComparisonPanel;
class ElidedLabel;
class PanelArea;
class PipelineGantt;
class ScalingPanel;
class SchedulePreview;
class SpecDocument;
class StepTimeBar;

/// One optimizer step: its time by cause, below it the pipeline schedule action by action with its bubble, a
/// read-out of the action under the pointer, and a legend.
class PipelinePanel : public QFrame {
    Q_OBJECT
public:
    explicit PipelinePanel(QWidget* parent = nullptr);

    StepTimeBar& stepTime() { return *m_stepTime; }
    void showStep(std::shared_ptr<const StepTimeline> timeline, const StepTime& step);
    /// Shows why there is no step to show.
    void showNothing(const QString& why);

private:
    StepTimeBar* m_stepTime;
    ElidedLabel* m_readOut;
    PipelineGantt* m_gantt;
    ChartLegend* m_legend;
    QString m_summary;
};

/// Panels for the consequences of a design: one step by cause and action ("pipeline"), scaling ("scaling"),
/// learning rate ("learning-rate") and comparison with a saved design ("comparison"). Slow results arrive
/// later; until then a panel shows the previous design.
class PlanPanels : public QObject {
    Q_OBJECT
public:
    /// Adds the panels to `area`; document and area must outlive them.
    PlanPanels(SpecDocument& document, PanelArea& area, QObject* parent = nullptr);

    /// Requires a valid specification, or a design without a time.
    void showDesign(const PlannedDesign& design);
    const std::optional<PlannedDesign>& kept() const;
    /// Keeps the current design and shows the comparison.
    void keepForComparison();

signals:
    /// The design saved for comparison changed, or further results for it are available.
    void keptChanged();
    /// Reports the efficiency per rank relative to the fewest ranks; NaN = unknown.
    void efficiencyChanged(double efficiency);

private:
    void onTimeline(const BackgroundPlan::Timeline& timeline);
    void onForecast(const BackgroundPlan::Forecast& forecast);
    void onKeptForecast(const BackgroundPlan::Forecast& forecast);
    void onKept();
    void showStepTime();
    void showNothing(const QString& why);

    PanelArea& m_area;
    PlannedDesign m_design;
    BackgroundPlan m_background;
    PipelinePanel* m_pipeline;
    ScalingPanel* m_scaling;
    SchedulePreview* m_learningRate;
    ComparisonPanel* m_comparison;
};

} // namespace trainyard
