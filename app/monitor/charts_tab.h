#pragma once

#include <QWidget>

#include "app/charts/chart_history.h"
#include "app/charts/chart_link.h"
#include "app/charts/chart_options.h"
#include "engine/base/result.h"

class QToolButton;
class QUndoStack;

namespace trainyard {

class ChartPanel;
class ChartToolbar;
class CurveChart;
class MetricCharts;
class MemoryChart;
class OpenRun;
class PinnedTable;
class StackedChart;

/// A run's curves: loss large, below it learning rate, gradient norm and throughput, then where the time and
/// the memory go, then all further figures. One cursor and one zoom for all; pinned values at the bottom.
class ChartsTab : public QWidget {
    Q_OBJECT

public:
    /// `undo` takes how the charts are shown and what is pinned; it must outlive the tab.
    explicit ChartsTab(QUndoStack& undo, QWidget* parent = nullptr);

    /// Shows what the run has now, unless the view is paused.
    void show(const OpenRun& run);
    /// Another run is looked at: zoom and cursor start over.
    void reset();
    /// Puts the cursor on the step that was newest at that time: wall clock, ms since 1970-01-01 UTC.
    void showTime(qint64 wallMs);

signals:
    /// The cursor is on a step that was written at this time: wall clock, ms since 1970-01-01 UTC.
    void cursorTimeChanged(qint64 wallMs);
    void saved(const QString& file);
    void saveFailed(const trainyard::Error& error);

private:
    QWidget* buildBoard();
    void change(const ChartOptions& options);
    void apply(const ChartView& view);
    ChartView view() const;
    void fill(const OpenRun& run);
    void hideWhatIsUnknown();
    void setPaused(bool paused);
    void watch(ChartPanel& chart);
    void pin(double x);
    void tellCursorTime();
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
    MetricCharts* m_further;
    PinnedTable* m_pinned;
    const OpenRun* m_run = nullptr;
};

} // namespace trainyard
