#pragma once

#include <QWidget>

#include "app/models/background_plan.h"

class QTabWidget;

namespace trainyard {

class ComparisonPanel;
class PipelinePanel;
class ScalingPanel;
class SchedulePreview;
class SpecDocument;

/// Below form and cluster: one step by cause and action by action, and beside it how the design scales, the
/// learning rate and the comparison with a kept design. What takes long to work out appears when it is there;
/// until then the picture of the design before stays.
class PlanStrip : public QWidget {
    Q_OBJECT
public:
    explicit PlanStrip(SpecDocument& document, QWidget* parent = nullptr);

    /// Requires a valid specification, or none with a time.
    void showDesign(const PlannedDesign& design);
    const std::optional<PlannedDesign>& kept() const;
    /// Keeps the design that is shown, and turns to the comparison.
    void keepForComparison();

signals:
    /// Another design is kept, or more is known of it.
    void keptChanged();
    /// Of one rank, against the fewest ranks; NaN = not known.
    void efficiencyChanged(double efficiency);

private:
    void onTimeline(const BackgroundPlan::Timeline& timeline);
    void onOutlook(const BackgroundPlan::Outlook& outlook);
    void onKeptOutlook(const BackgroundPlan::Outlook& outlook);
    void onKept();
    void showStepTime();
    void showNothing(const QString& why);

    PlannedDesign m_design;
    BackgroundPlan m_background;
    PipelinePanel* m_pipeline;
    QTabWidget* m_tabs;
    ScalingPanel* m_scaling;
    SchedulePreview* m_learningRate;
    ComparisonPanel* m_comparison;
};

} // namespace trainyard
