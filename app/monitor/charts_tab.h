#pragma once

#include <QList>
#include <QWidget>

#include "app/charts/chart_history.h"
#include "app/charts/chart_options.h"
#include "engine/base/result.h"

class QToolButton;
class QUndoStack;

namespace trainyard {

class ChartPanel;
class ChartToolbar;
class CurveChart;
class EvaluationPanel;
class MetricCharts;
class MemoryChart;
class OpenRun;
class PinnedTable;
class StackedChart;

/// The charts of a run: loss large, below it learning rate, gradient norm and throughput, then step time and
/// memory, then the held-out evaluations as a table and all other metrics. All share one cursor and one zoom;
/// the pinned values are at the bottom.
class ChartsTab : public QWidget {
    Q_OBJECT

public:
    /// `undo` records display options and pins; it must outlive the tab.
    explicit ChartsTab(QUndoStack& undo, QWidget* parent = nullptr);

    /// Shows the current data of the run, unless the view is paused.
    void show(const OpenRun& run);
    /// Resets zoom and cursor for another run.
    void reset();
    /// Moves the cursor to the newest step at this time: wall clock, ms since 1970-01-01 UTC.
    void showTime(qint64 wallMs);

signals:
    /// The cursor is on a step recorded at this time: wall clock, ms since 1970-01-01 UTC.
    void cursorTimeChanged(qint64 wallMs);
    void saved(const QString& file);
    void saveFailed(const trainyard::Error& error);

private:
    QWidget* buildBoard();
    QList<ChartPanel*> stepCharts() const;
    void change(const ChartOptions& options);
    void apply(const ChartView& view);
    ChartView view() const;
    void fill(const OpenRun& run);
    void hideEmptyCharts();
    void setPaused(bool paused);
    void watch(ChartPanel& chart);
    void pin(double x);
    void emitCursorTime();
    const StepTable* steps() const;

    QUndoStack& m_undo;
    ChartLink m_link;
    ChartOptions m_options;
    ChartHistory m_history;
    ChartToolbar* m_toolbar;
    QToolButton* m_pause;
    CurveChart* m_loss;
    CurveChart* m_rate;
    CurveChart* m_norm;
    CurveChart* m_throughput;
    StackedChart* m_split;
    MemoryChart* m_memory;
    EvaluationPanel* m_evaluations;
    MetricCharts* m_further;
    PinnedTable* m_pinned;
    const OpenRun* m_run = nullptr;
};

} // namespace trainyard
