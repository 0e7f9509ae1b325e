#include "app/charts/stacked_chart.h"

#include <algorithm>

#include <qcustomplot.h>

#include "app/base/csv_text.h"
#include "app/base/theme.h"
#include "app/charts/chart_legend.h"
#include "app/series/axis.h"
#include "app/series/pixel_columns.h"

namespace trainyard {

StackedChart::StackedChart(const QString& subject, Quantity quantity, QWidget* parent)
    : ChartPanel(subject, quantity, parent), m_legend(new ChartLegend(this))
{
    addFooter(m_legend);
}

void StackedChart::setLayers(const SeriesColumn& x, const QList<ChartLayer>& layers)
{
    m_x = x;
    m_layers = layers;
    scheduleRebuild();
}

QCPRange StackedChart::fullSpan() const
{
    return m_x.isEmpty() ? QCPRange(0, 1) : QCPRange(m_x.first(), m_x.last());
}

/// One row for each pixel at most, and one more on either side.
QList<qsizetype> StackedChart::shownRows() const
{
    const QCPRange span = shownSpan();
    const int pixels = std::max(1, plot().axisRect()->width());
    const PixelEdges edges = pixelEdges(span.lower, span.upper, pixels, isHorizontallyLogarithmic());
    const std::vector<qsizetype> starts = pixelRows(m_x, edges);
    QList<qsizetype> rows;
    const auto put = [&](qsizetype row) {
        if (row >= 0 && row < m_x.size() && (rows.isEmpty() || row > rows.last()))
            rows.append(row);
    };
    put(starts.front() - 1);
    if (starts.back() - starts.front() <= pixels) {
        for (qsizetype row = starts.front(); row < starts.back(); ++row)
            put(row);
    } else {
        for (std::size_t i = 1; i < starts.size(); ++i)
            put(starts[i] - 1);
    }
    put(starts.back());
    return rows;
}

/// The tops of the layers: the running sum from the bottom, smoothed as the other charts are.
QList<QList<double>> StackedChart::stackedLayers(const QList<qsizetype>& rows)
{
    const bool smooth = options().smoothing.weight > 0;
    m_smoothed.resize(smooth ? std::size_t(m_layers.size()) : 0);
    QList<QList<double>> tops;
    for (qsizetype layer = 0; layer < m_layers.size(); ++layer) {
        const SeriesColumn& y = m_layers[layer].y;
        if (smooth)
            m_smoothed[std::size_t(layer)].follow(m_x, y, options().smoothing);
        QList<double> top;
        for (const qsizetype row : rows)
            top.append(smooth ? m_smoothed[std::size_t(layer)].at(row) : y[row]);
        if (!tops.isEmpty()) {
            for (qsizetype i = 0; i < top.size(); ++i)
                top[i] += tops.last()[i];
        }
        tops.append(top);
    }
    return tops;
}

void StackedChart::rebuild()
{
    plot().clearPlottables();
    const bool dark = coloursOf(palette()).scheme == ColourScheme::Dark;
    const QList<qsizetype> rows = shownRows();
    const QList<QList<double>> tops = stackedLayers(rows);
    QList<double> x;
    for (const qsizetype row : rows)
        x.append(m_x[row]);
    QCPGraph* below = nullptr;
    for (qsizetype i = 0; i < tops.size(); ++i) {
        QColor colour = dark ? m_layers[i].dark : m_layers[i].light;
        QCPGraph* graph = plot().addGraph();
        graph->setData(x, tops[i], true);
        graph->setPen(QPen(colour, 1));
        colour.setAlphaF(0.75);
        graph->setBrush(colour);
        graph->setChannelFillGraph(below);
        below = graph;
    }
    const AxisRange range =
        axisRange(tops.isEmpty() ? QList<double>() : tops.last(), {options().hideOutliers, false});
    plot().yAxis->setRange(0, range.upper);
}

double StackedChart::snapped(double x) const
{
    return m_x.isEmpty() ? x : m_x[m_x.nearest(x)];
}

QString StackedChart::readOut(double x, bool isCursor) const
{
    const qsizetype row = m_x.nearest(x);
    double sum = 0;
    for (const ChartLayer& layer : m_layers)
        sum += layer.y[row];
    const QString position =
        isCursor ? positionText(options().axis, m_x[row]) + QStringLiteral("  ·  ") : QString();
    return position + figureText(sum, quantity());
}

void StackedChart::showValues(double x)
{
    QList<LegendEntry> entries;
    for (const ChartLayer& layer : m_layers) {
        const QString value = m_x.isEmpty() ? QString() : figureText(layer.y[m_x.nearest(x)], quantity());
        entries.append({layer.name + QLatin1Char(' ') + value, layer.light, layer.dark});
    }
    m_legend->setEntries(entries);
}

QList<ChartValue> StackedChart::valuesAt(double x) const
{
    QList<ChartValue> values;
    const qsizetype row = m_x.nearest(x);
    for (const ChartLayer& layer : m_layers) {
        if (row >= 0)
            values.append({layer.name, layer.y[row]});
    }
    return values;
}

void StackedChart::writeCsv(QTextStream& out) const
{
    out << titleOf(options().axis);
    for (const ChartLayer& layer : m_layers)
        out << ',' << csvField(layer.name);
    out << '\n';
    const QCPRange span = shownSpan();
    for (qsizetype row = m_x.lowerBound(span.lower); row < m_x.upperBound(span.upper); ++row) {
        out << csvNumber(m_x[row]);
        for (const ChartLayer& layer : m_layers)
            out << ',' << csvNumber(layer.y[row]);
        out << '\n';
    }
}

double StackedChart::neighbour(double x, int direction) const
{
    if (m_x.isEmpty())
        return x;
    return m_x[std::clamp<qsizetype>(m_x.nearest(x) + direction, 0, m_x.size() - 1)];
}

} // namespace trainyard
