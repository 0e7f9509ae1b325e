#pragma once

#include <QObject>

#include "app/designer/model/background_plan.h"

namespace trainyard {

class ComparisonPanel;
class PanelArea;
class PipelinePanel;
class ScalingPanel;
class SchedulePreview;
class SpecDocument;

/// The panels of what follows from a design: one step by cause and action by action ("pipeline"), how the
/// design scales ("scaling"), the learning rate ("learning-rate") and the comparison with a kept design
/// ("comparison"). What takes long to work out appears when it is there; until then the picture of the design
/// before stays.
class PlanPanels : public QObject {
    Q_OBJECT
public:
    /// Adds the panels to `area`; document and area must outlive them.
    PlanPanels(SpecDocument& document, PanelArea& area, QObject* parent = nullptr);

    /// Requires a valid specification, or none with a time.
    void showDesign(const PlannedDesign& design);
    const std::optional<PlannedDesign>& kept() const;
    /// Keeps the design that is shown, and shows the comparison.
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

    PanelArea& m_area;
    PlannedDesign m_design;
    BackgroundPlan m_background;
    PipelinePanel* m_pipeline;
    ScalingPanel* m_scaling;
    SchedulePreview* m_learningRate;
    ComparisonPanel* m_comparison;
};

} // namespace trainyard
