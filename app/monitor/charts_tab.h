#pragma once

#include <QWidget>

#include "app/widgets/chart_link.h"
#include "app/widgets/chart_options.h"

class QToolButton;

namespace trainyard {

class ChartToolbar;
class CurveChart;
class MemoryChart;
class OpenRun;
class StackedChart;

/// A run's curves: loss large, below it learning rate, gradient norm and throughput, then where the time and
/// the memory go. One cursor and one zoom for all.
class ChartsTab : public QWidget {
    Q_OBJECT

public:
    explicit ChartsTab(QWidget* parent = nullptr);

    /// Shows what the run has now, unless the view is paused.
    void show(const OpenRun& run);
    /// Another run is looked at: zoom and cursor start over.
    void reset();

private:
    QWidget* buildBoard();
    void apply(const ChartOptions& options);
    void fill(const OpenRun& run);
    void setPaused(bool paused);

    ChartLink m_link;
    ChartOptions m_options;
    ChartToolbar* m_toolbar;
    QToolButton* m_pause;
    CurveChart* m_loss;
    CurveChart* m_rate;
    CurveChart* m_norm;
    CurveChart* m_throughput;
    StackedChart* m_split;
    MemoryChart* m_memory;
    const OpenRun* m_run = nullptr;
};

} // namespace trainyard
