#include "app/monitor/metric_charts.h"

#include <algorithm>
#include <map>

#include <QLabel>
#include <QLineEdit>
#include <QPaintEvent>
#include <QPainter>

#include "app/base/theme.h"
#include "app/charts/curve_chart.h"
#include "app/charts/phase_borders.h"
#include "app/runs/open_run.h"
#include "app/widgets/roles.h"
#include "app/workspace/tab_order.h"

namespace trainyard {

namespace {

constexpr int kHeadHeight = 40;
constexpr int kChartHeight = 168;
constexpr int kMinWidth = 300;
constexpr int kMaxColumns = 4;
constexpr int kFilterWidth = 240;
constexpr int kFirstStyle = 4; ///< after those of the charts above

} // namespace

MetricCharts::MetricCharts(ChartLink& link, QWidget* parent)
    : QWidget(parent), m_link(link), m_title(makeLabel({}, "heading", this)), m_filter(new QLineEdit(this))
{
    m_filter->setPlaceholderText(tr("Find by name"));
    m_filter->setAccessibleName(tr("Find more metrics by name"));
    m_filter->setClearButtonEnabled(true);
    m_due.setSingleShot(true);
    connect(&m_due, &QTimer::timeout, this, &MetricCharts::makeVisible);
    connect(m_filter, &QLineEdit::textChanged, this, [this] {
        if (m_run)
            takeSeries(extraMetrics(*m_run, m_filter->text()));
    });
    reset();
}

void MetricCharts::show(const OpenRun& run)
{
    m_run = &run;
    takeSeries(extraMetrics(run, m_filter->text()));
}

void MetricCharts::reset()
{
    m_run = nullptr;
    m_filter->clear();
    takeSeries({});
}

void MetricCharts::setOptions(const ChartOptions& options)
{
    m_options = options;
    for (const Cell& cell : m_cells) {
        if (cell.chart)
            fill(cell);
    }
}

QList<CurveChart*> MetricCharts::charts() const
{
    QList<CurveChart*> list;
    for (const Cell& cell : m_cells) {
        if (cell.chart)
            list.append(cell.chart);
    }
    return list;
}

/// Keeps the charts of metrics that remain.
void MetricCharts::takeSeries(std::vector<ExtraMetric> series)
{
    std::map<QString, CurveChart*> made;
    for (const Cell& cell : m_cells) {
        if (cell.chart)
            made[cell.series.name] = cell.chart;
    }
    m_cells.clear();
    for (ExtraMetric& one : series) {
        const auto chart = made.extract(one.name);
        m_cells.push_back({std::move(one), chart ? chart.mapped() : nullptr});
        if (m_cells.back().chart)
            fill(m_cells.back());
    }
    for (const auto& [name, chart] : made)
        delete chart;
    setVisible(m_run != nullptr);
    m_title->setText(m_cells.empty() ? tr("No matching metric")
                                     : tr("More metrics (%1)").arg(m_cells.size()));
    placeCells();
}

int MetricCharts::columns() const
{
    return std::clamp(width() / kMinWidth, 1, kMaxColumns);
}

QRect MetricCharts::placeOf(std::size_t cell) const
{
    const int width = (this->width() - (columns() - 1) * metrics::kGap) / columns();
    const int row = int(cell) / columns();
    const int column = int(cell) % columns();
    return {column * (width + metrics::kGap), kHeadHeight + row * (kChartHeight + metrics::kGap), width,
            kChartHeight};
}

void MetricCharts::placeCells()
{
    const QSize filter(std::min(kFilterWidth, width() / 2), m_filter->sizeHint().height());
    m_filter->setGeometry(QRect(QPoint(width() - filter.width(), 0), filter));
    m_title->setGeometry(0, 0, width() - filter.width() - metrics::kGap, filter.height());
    const int rows = (int(m_cells.size()) + columns() - 1) / columns();
    setFixedHeight(kHeadHeight + rows * (kChartHeight + metrics::kGap));
    for (std::size_t i = 0; i < m_cells.size(); ++i) {
        if (m_cells[i].chart)
            m_cells[i].chart->setGeometry(placeOf(i));
    }
    update();
}

void MetricCharts::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    placeCells();
}

/// Paints placeholders for cells that scroll into view; their charts are created right after.
void MetricCharts::paintEvent(QPaintEvent* event)
{
    const ThemeColours& colours = coloursOf(palette());
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    for (std::size_t i = 0; i < m_cells.size(); ++i) {
        const QRect place = placeOf(i);
        if (m_cells[i].chart || !event->rect().intersects(place))
            continue;
        painter.setPen(colours.border);
        painter.setBrush(colours.panel);
        painter.drawRoundedRect(QRectF(place).adjusted(0.5, 0.5, -0.5, -0.5), metrics::kRadius,
                                metrics::kRadius);
        m_due.start(0);
    }
}

void MetricCharts::makeVisible()
{
    const QRect seen = visibleRegion().boundingRect();
    const QRect near = seen.adjusted(0, -2 * kChartHeight, 0, 2 * kChartHeight);
    bool isNew = false;
    for (std::size_t i = 0; i < m_cells.size(); ++i) {
        Cell& cell = m_cells[i];
        const QRect place = placeOf(i);
        if (!cell.chart && seen.intersects(place)) {
            make(cell);
            isNew = true;
        }
        if (cell.chart && !near.intersects(place) && !cell.chart->hasFocus()) {
            delete cell.chart;
            cell.chart = nullptr;
        } else if (cell.chart) {
            cell.chart->setGeometry(place);
        }
    }
    const QList<CurveChart*> made = charts();
    if (isNew)
        reachAfter(*m_filter, {made.begin(), made.end()});
}

void MetricCharts::make(Cell& cell)
{
    cell.chart = new CurveChart(cell.series.name, cell.series.quantity, this);
    cell.chart->setFromZero(cell.series.fromZero);
    cell.chart->setLink(&m_link);
    fill(cell);
    cell.chart->show();
    emit chartMade(cell.chart);
}

void MetricCharts::fill(const Cell& cell) const
{
    cell.chart->setOptions(m_options);
    const auto x = cell.series.positions(m_run->series().steps(), columnOf(m_options.axis));
    cell.chart->setEmptyText(x ? tr("no data yet")
                               : tr("not available over %1").arg(titleOf(m_options.axis)));
    cell.chart->setBorders(bordersOf(*m_run, m_options.axis));
    QList<Curve> curves;
    if (x)
        curves.append({.name = m_run->facts().name(),
                       .x = *x,
                       .y = cell.series.values,
                       .style = kFirstStyle,
                       .aside = cell.series.evaluations != nullptr});
    cell.chart->setCurves(curves);
}

} // namespace trainyard
