#pragma once

#include <memory>

#include <QFrame>

#include "engine/planner/time/step_model.h"
#include "engine/planner/time/step_timeline.h"

namespace trainyard {

class ChartLegend;
class ElidedLabel;
class PipelineGantt;
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

} // namespace trainyard
