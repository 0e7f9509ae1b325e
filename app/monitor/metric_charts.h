#pragma once

#include <vector>

#include <QTimer>
#include <QWidget>

#include "app/charts/chart_options.h"
#include "app/runs/named_series.h"

class QLabel;
class QLineEdit;

namespace trainyard {

class ChartLink;
class CurveChart;
class OpenRun;

/// Charts of all metrics of a run without a fixed chart, filtered by name. A chart is created when it scrolls
/// into view and deleted when it is far out of it, so a run with thousands of series opens as fast as one
/// with ten.
class MetricCharts : public QWidget {
    Q_OBJECT

public:
    /// The link must outlive the charts.
    explicit MetricCharts(ChartLink& link, QWidget* parent = nullptr);

    /// The run must stay alive until the next show() or reset().
    void show(const OpenRun& run);
    void setOptions(const ChartOptions& options);
    void reset();
    /// The charts that exist now.
    QList<CurveChart*> charts() const;

signals:
    void chartMade(trainyard::CurveChart* chart);

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    struct Cell {
        ExtraMetric series;
        CurveChart* chart = nullptr; ///< owned by this widget
    };
    void takeSeries(std::vector<ExtraMetric> series);
    void placeCells();
    void makeVisible();
    void make(Cell& cell);
    void fill(const Cell& cell) const;
    int columns() const;
    QRect placeOf(std::size_t cell) const;

    ChartLink& m_link;
    ChartOptions m_options;
    const OpenRun* m_run = nullptr;
    QLabel* m_title;
    QLineEdit* m_filter;
    std::vector<Cell> m_cells;
    QTimer m_due;
};

} // namespace trainyard
