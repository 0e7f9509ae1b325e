#include "app/report/figure_painter.h"

#include <algorithm>

#include <QBuffer>
#include <QSvgGenerator>
#include <QSvgRenderer>
#include <qcustomplot.h>

#include "app/models/theme.h"

namespace trainyard {

namespace {

constexpr int kTickPixels = 11;
constexpr int kLegendColumns = 8;
constexpr double kFewestBars = 5; // a single bar is no wider than one of five

const ThemeColours& colours()
{
    return coloursOf(ColourScheme::Light); // paper is white; the page darkens figures as a whole
}

QFont tickFont()
{
    QFont font;
    font.setPixelSize(kTickPixels);
    return font;
}

void styleAxis(QCPAxis* axis, const QString& label)
{
    axis->setLabel(label);
    axis->setLabelFont(tickFont());
    axis->setTickLabelFont(tickFont());
    axis->setLabelColor(colours().muted);
    axis->setTickLabelColor(colours().muted);
    axis->setBasePen(QPen(colours().border));
    axis->setTickPen(QPen(colours().border));
    axis->setSubTicks(false);
    axis->setTickLength(0, 4); // outwards: inside they would cross the bars
    axis->grid()->setPen(QPen(colours().grid));
    axis->grid()->setZeroLinePen(Qt::NoPen);
}

void styleLegend(QCustomPlot& plot, const ReportFigure& figure)
{
    plot.legend->setFont(tickFont());
    plot.legend->setTextColor(colours().text);
    plot.legend->setBorderPen(Qt::NoPen);
    plot.legend->setBrush(Qt::NoBrush);
    plot.legend->setFillOrder(QCPLegend::foColumnsFirst);
    plot.legend->setWrap(kLegendColumns);
    plot.legend->setIconSize(16, 10);
    plot.legend->setIconTextPadding(figure.bars.isEmpty() ? 12 : 6); // a line reaches beyond its icon
    plot.legend->setColumnSpacing(16);
    plot.legend->setMargins(QMargins(0, 4, 0, 0));
    plot.legend->setVisible(true);
    // Above the axes, so that it never covers a curve.
    plot.plotLayout()->insertRow(0);
    plot.plotLayout()->addElement(0, 0, plot.legend);
    plot.plotLayout()->setRowStretchFactor(0, 0.001);
}

/// A lone curve is named by the caption.
bool needsLegend(const ReportFigure& figure)
{
    const auto named =
        std::count_if(figure.curves.begin(), figure.curves.end(),
                      [](const ReportCurve& curve) { return curve.look != ReportCurve::Look::Faint; });
    return !figure.bars.isEmpty() || named > 1;
}

void stylePlot(QCustomPlot& plot, const ReportFigure& figure)
{
    plot.setBackground(Qt::NoBrush);
    styleAxis(plot.xAxis, figure.xLabel);
    styleAxis(plot.yAxis, figure.yLabel);
    plot.axisRect()->setMinimumMargins(QMargins(0, 8, 12, 0));
    if (needsLegend(figure))
        styleLegend(plot, figure);
}

QPen penOf(const ReportCurve& curve, const SeriesStyle& style)
{
    if (curve.look == ReportCurve::Look::Dashed)
        return {colours().muted, 1.4, Qt::DashLine};
    const bool faint = curve.look == ReportCurve::Look::Faint;
    QColor colour = style.colour;
    colour.setAlphaF(faint ? 0.3F : 1.0F);
    return {colour, faint ? 1.0 : 1.6, style.line};
}

void addCurve(QCustomPlot& plot, const ReportCurve& curve, const SeriesStyle& style)
{
    QCPGraph* graph = plot.addGraph();
    graph->setName(curve.name);
    graph->setData(curve.x, curve.y, true);
    graph->setPen(penOf(curve, style));
    if (curve.look == ReportCurve::Look::Faint)
        graph->removeFromLegend();
    if (curve.look == ReportCurve::Look::Marked || curve.x.size() == 1)
        graph->setScatterStyle(QCPScatterStyle(QCPScatterStyle::ssDisc, 6));
}

/// Only whole numbers, however few there are.
QSharedPointer<QCPAxisTicker> countTicker()
{
    auto ticker = QSharedPointer<QCPAxisTickerFixed>::create();
    ticker->setTickStep(1);
    ticker->setScaleStrategy(QCPAxisTickerFixed::ssMultiples);
    return ticker;
}

void addCurves(QCustomPlot& plot, const ReportFigure& figure)
{
    int index = 0;
    for (const ReportCurve& curve : figure.curves) {
        addCurve(plot, curve, seriesStyle(ColourScheme::Light, index));
        index += curve.look == ReportCurve::Look::Faint ? 0 : 1;
    }
    plot.xAxis->setTicker(countTicker());
    plot.rescaleAxes();
    plot.xAxis->scaleRange(1.04); // a mark at the end is whole
    plot.yAxis->scaleRange(1.08);
    if (figure.fromZero)
        plot.yAxis->setRangeLower(0);
}

struct BarPlace {
    double shift = 0; ///< from the middle of what the bar stands for
    double width = 0.6;
};

/// Measured left, planned right of it where anything is planned.
BarPlace placeOf(bool isPlanned, bool anyPlanned)
{
    if (!anyPlanned)
        return {};
    return {isPlanned ? 0.19 : -0.19, 0.34};
}

void addLayers(QCustomPlot& plot, const ReportFigure& figure, bool isPlanned, const BarPlace& place)
{
    QList<double> positions;
    for (qsizetype i = 0; i < figure.bars.size(); ++i)
        positions << static_cast<double>(i) + place.shift;
    QCPBars* below = nullptr;
    for (const ReportLayer& layer : figure.layers) {
        if (layer.isPlanned != isPlanned)
            continue;
        auto* bars = new QCPBars(plot.xAxis, plot.yAxis); // owned by the plot
        bars->setName(layer.name);
        bars->setData(positions, layer.values, true);
        bars->setPen(isPlanned ? QPen(layer.colour, 1.4) : QPen(Qt::NoPen));
        bars->setBrush(isPlanned ? QBrush(Qt::NoBrush) : QBrush(layer.colour));
        bars->setWidth(place.width);
        if (isPlanned)
            bars->removeFromLegend(); // the filled one tells the colour
        if (below)
            bars->moveAbove(below);
        below = bars;
    }
}

void addBars(QCustomPlot& plot, const ReportFigure& figure)
{
    auto ticker = QSharedPointer<QCPAxisTickerText>::create();
    for (qsizetype i = 0; i < figure.bars.size(); ++i)
        ticker->addTick(static_cast<double>(i), figure.bars[i]);
    plot.xAxis->setTicker(ticker);
    const bool anyPlanned = std::ranges::any_of(figure.layers, &ReportLayer::isPlanned);
    for (const bool isPlanned : {false, true})
        addLayers(plot, figure, isPlanned, placeOf(isPlanned, anyPlanned));
    plot.rescaleAxes();
    const double middle = static_cast<double>(figure.bars.size() - 1) / 2;
    const double reach = std::max(kFewestBars, static_cast<double>(figure.bars.size()) + 0.5) / 2;
    plot.xAxis->setRange(middle - reach, middle + reach);
    plot.yAxis->setRangeLower(0);
    plot.yAxis->setRangeUpper(plot.yAxis->range().upper * 1.05);
}

} // namespace

QByteArray figureSvg(const ReportFigure& figure)
{
    QBuffer buffer;
    QSvgGenerator generator;
    generator.setOutputDevice(&buffer);
    generator.setSize(kFigureSize);
    generator.setViewBox(QRect(QPoint(0, 0), kFigureSize));

    QCustomPlot plot;
    stylePlot(plot, figure);
    if (figure.bars.isEmpty())
        addCurves(plot, figure);
    else
        addBars(plot, figure);
    QCPPainter painter(&generator);
    painter.setMode(QCPPainter::pmVectorized);
    painter.setMode(QCPPainter::pmNoCaching);
    plot.toPainter(&painter, kFigureSize.width(), kFigureSize.height());
    painter.end();
    const QByteArray svg = buffer.data();
    return svg.mid(svg.indexOf("<svg"));
}

void paintFigure(QPainter& painter, const QRectF& area, const ReportFigure& figure)
{
    // By way of SVG, which has no resolution of its own: a QPicture would be scaled by the device's.
    QSvgRenderer renderer(figureSvg(figure));
    renderer.setAspectRatioMode(Qt::KeepAspectRatio);
    renderer.render(&painter, area);
}

} // namespace trainyard
