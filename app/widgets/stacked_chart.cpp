#include "app/widgets/stacked_chart.h"

#include <algorithm>
#include <cmath>

#include <qcustomplot.h>

#include "app/models/axis_range.h"
#include "app/models/theme.h"
#include "app/widgets/chart_legend.h"

namespace trainyard {

StackedChart::StackedChart(const QString& subject, Quantity quantity, QWidget* parent)
    : ChartPanel(subject, quantity, parent), m_legend(new ChartLegend(this))
{
    addFooter(m_legend);
}

void StackedChart::setLayers(const QList<double>& x, const QList<ChartLayer>& layers)
{
    m_x = x;
    m_layers = layers;
    scheduleRebuild();
}

QCPRange StackedChart::fullSpan() const
{
    return m_x.isEmpty() ? QCPRange(0, 1) : QCPRange(m_x.first(), m_x.last());
}

/// The tops of the layers: the running sum from the bottom, smoothed as the other charts are.
QList<QList<double>> StackedChart::stackedLayers() const
{
    QList<QList<double>> tops;
    for (const ChartLayer& layer : m_layers) {
        QList<double> top = smoothed(m_x, layer.y, options().smoothing);
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
    const QList<QList<double>> tops = stackedLayers();
    QCPGraph* below = nullptr;
    for (qsizetype i = 0; i < tops.size(); ++i) {
        QColor colour = dark ? m_layers[i].dark : m_layers[i].light;
        QCPGraph* graph = plot().addGraph();
        graph->setData(m_x, tops[i], true);
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

qsizetype StackedChart::nearestRow(double x) const
{
    const qsizetype after = std::lower_bound(m_x.begin(), m_x.end(), x) - m_x.begin();
    if (after == 0 || after == m_x.size())
        return after == 0 ? 0 : m_x.size() - 1;
    return x - m_x[after - 1] <= m_x[after] - x ? after - 1 : after;
}

double StackedChart::snapped(double x) const
{
    return m_x.isEmpty() ? x : m_x[nearestRow(x)];
}

QString StackedChart::readOut(double x, bool isCursor) const
{
    const qsizetype row = nearestRow(x);
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
        const QString value = m_x.isEmpty() ? QString() : figureText(layer.y[nearestRow(x)], quantity());
        entries.append({layer.name + QLatin1Char(' ') + value, layer.light, layer.dark});
    }
    m_legend->setEntries(entries);
}

double StackedChart::neighbour(double x, int direction) const
{
    if (m_x.isEmpty())
        return x;
    return m_x[std::clamp<qsizetype>(nearestRow(x) + direction, 0, m_x.size() - 1)];
}

} // namespace trainyard
