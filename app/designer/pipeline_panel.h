#pragma once

#include <memory>

#include <QFrame>

#include "engine/planner/time/step_model.h"
#include "engine/planner/time/step_timeline.h"

namespace trainyard {

class ChartLegend;
class ElidedLabel;
class PipelineGantt;

/// The pipeline over one step with its bubble in words, a read-out of what is pointed at, and a legend.
class PipelinePanel : public QFrame {
    Q_OBJECT
public:
    explicit PipelinePanel(QWidget* parent = nullptr);

    void showStep(std::shared_ptr<const StepTimeline> timeline, const StepTime& step);
    /// There is nothing to show, and why.
    void showNothing(const QString& why);

private:
    ElidedLabel* m_readOut;
    PipelineGantt* m_gantt;
    ChartLegend* m_legend;
    QString m_summary;
};

} // namespace trainyard
