#pragma once

#include <QWidget>

#include "app/monitor/model/recorded_trace.h"

class QComboBox;

namespace trainyard {

class ChartLegend;
class ElidedLabel;
class PipelineGantt;
class ReadOutLabel;

/// Shows the passes of a recorded trace, rank by rank, one step at a time.
class TraceView : public QWidget {
    Q_OBJECT

public:
    explicit TraceView(QWidget* parent = nullptr);
    /// `file`: its source, for the title. The trace must have a step.
    void show(const QString& file, const RecordedTrace& trace);

signals:
    /// The user closed the trace.
    void closed();

private:
    void showStep();

    RecordedTrace m_trace;
    ElidedLabel* m_title;
    QComboBox* m_step;
    ReadOutLabel* m_words;
    PipelineGantt* m_gantt;
    ChartLegend* m_legend;
};

} // namespace trainyard
