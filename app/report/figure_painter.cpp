#include "app/report/figure_painter.h"

#include <algorithm>

#include <QBuffer>
#include <QSvgGenerator>
#include <QSvgRenderer>
#include <qcustomplot.h>

#include "app/base/theme.h"

namespace trainyard {

namespace {

constexpr QSize kSize{720, 240};
constexpr int kTickPixels = 11;
constexpr int kPlotWidth = 640; ///< of it is left for curves and bars
constexpr int kPlotHeight = 180;
constexpr int kLegendLine = 16;
constexpr int kLegendIcon = 16;
constexpr int kLegendGap = 16;
constexpr int kMaxNameLength = 280; ///< pixels
constexpr int kNumberedBar = 11;    ///< least width and height of a segment with its number
constexpr double kMinBars = 5;      // a single bar is no wider than one of five

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

QString elided(const QString& name, int pixels)
{
    return QFontMetrics(tickFont()).elidedText(name, Qt::ElideMiddle, pixels);
}

/// What the legend names: filled layers, with the number that stands in their segments, or curves. The faint
/// and the planned have the colour of their neighbour.
QStringList namesOf(const ReportFigure& figure)
{
    QStringList names;
    for (const ReportLayer& layer : figure.layers) {
        if (!layer.isPlanned)
            names << QStringLiteral("%1 %2").arg(names.size() + 1).arg(layer.name);
    }
    for (const ReportCurve& curve : figure.curves) {
        if (curve.look != ReportCurve::Look::Faint)
            names << elided(curve.name, kMaxNameLength);
    }
    return names;
}

/// A lone curve or layer is named by the caption.
bool needsLegend(const ReportFigure& figure)
{
    return namesOf(figure).size() > 1;
}

int legendColumns(const QStringList& names)
{
    const QFontMetrics metrics(tickFont());
    int widest = 1;
    for (const QString& name : names)
        widest = std::max(widest, metrics.horizontalAdvance(name));
    return std::clamp(kSize.width() / (widest + kLegendIcon + 2 * kLegendGap), 1, int(names.size()));
}

void styleLegend(QCustomPlot& plot, const ReportFigure& figure)
{
    plot.legend->setFont(tickFont());
    plot.legend->setTextColor(colours().text);
    plot.legend->setBorderPen(Qt::NoPen);
    plot.legend->setBrush(Qt::NoBrush);
    plot.legend->setFillOrder(QCPLegend::foColumnsFirst);
    plot.legend->setWrap(legendColumns(namesOf(figure)));
    plot.legend->setIconSize(kLegendIcon, 10);
    plot.legend->setIconTextPadding(figure.bars.isEmpty() ? 12 : 6); // a line reaches beyond its icon
    plot.legend->setColumnSpacing(kLegendGap);
    plot.legend->setRowSpacing(2);
    plot.legend->setMargins(QMargins(0, 4, 0, 0));
    plot.legend->setVisible(true);
    // Above the axes, so that it never covers a curve.
    plot.plotLayout()->insertRow(0);
    plot.plotLayout()->addElement(0, 0, plot.legend);
    plot.plotLayout()->setRowStretchFactor(0, 0.001);
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
    graph->setName(elided(curve.name, kMaxNameLength));
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

/// Inside of the axes, which the curves have set.
void addMarks(QCustomPlot& plot, const QList<ReportMark>& marks)
{
    for (const ReportMark& mark : marks) {
        auto* line = new QCPItemStraightLine(&plot); // owned by the plot, as is the text
        line->point1->setCoords(mark.x, 0);
        line->point2->setCoords(mark.x, 1);
        line->setPen(QPen(colours().muted, 1, Qt::DotLine));
        auto* text = new QCPItemText(&plot);
        text->position->setTypeX(QCPItemPosition::ptPlotCoords);
        text->position->setTypeY(QCPItemPosition::ptAxisRectRatio);
        text->position->setCoords(mark.x, 0);
        text->setPositionAlignment(Qt::AlignLeft | Qt::AlignTop);
        text->setPadding(QMargins(4, 2, 0, 0));
        text->setFont(tickFont());
        text->setColor(colours().muted);
        text->setText(elided(mark.label, kMaxNameLength));
    }
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
    addMarks(plot, figure.marks);
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
    const QStringList names = namesOf(figure);
    QCPBars* below = nullptr;
    qsizetype number = 0;
    for (const ReportLayer& layer : figure.layers) {
        if (layer.isPlanned != isPlanned)
            continue;
        auto* bars = new QCPBars(plot.xAxis, plot.yAxis); // owned by the plot
        bars->setName(names.value(number++));
        bars->setData(positions, layer.values, true);
        bars->setPen(isPlanned ? QPen(layer.colour, 1.4) : QPen(Qt::white, 0.5));
        bars->setBrush(isPlanned ? QBrush(Qt::NoBrush) : QBrush(layer.colour));
        bars->setWidth(place.width);
        if (isPlanned)
            bars->removeFromLegend(); // the filled one tells the colour
        if (below)
            bars->moveAbove(below);
        below = bars;
    }
}

void addNumber(QCustomPlot& plot, const QPointF& middle, qsizetype number, const QColor& colour)
{
    auto* text = new QCPItemText(&plot); // owned by the plot
    text->position->setCoords(middle);
    text->setText(QString::number(number));
    QFont font = tickFont();
    font.setPixelSize(kTickPixels - 2);
    text->setFont(font);
    text->setColor(colour);
}

/// The number of its layer in every segment that has room for it.
void addNumbers(QCustomPlot& plot, const ReportFigure& figure, bool isPlanned, const BarPlace& place)
{
    const double perPixel = plot.yAxis->range().size() / kPlotHeight;
    if (place.width * kPlotWidth / plot.xAxis->range().size() < kNumberedBar)
        return;
    for (qsizetype bar = 0; bar < figure.bars.size(); ++bar) {
        double below = 0;
        qsizetype number = 0;
        for (const ReportLayer& layer : figure.layers) {
            if (layer.isPlanned != isPlanned)
                continue;
            ++number;
            const double value = layer.values[bar];
            const bool isDark = isPlanned || qGray(layer.colour.rgb()) > 140;
            if (value >= kNumberedBar * perPixel)
                addNumber(plot, {static_cast<double>(bar) + place.shift, below + value / 2}, number,
                          isDark ? colours().text : QColor(Qt::white));
            below += value;
        }
    }
}

/// Names under the bars: shortened to the room that one has; where that is too little for them, some.
QSharedPointer<QCPAxisTicker> barTicker(const ReportFigure& figure)
{
    constexpr int kMinRoom = 28;
    const int bars = int(figure.bars.size());
    const int room = kPlotWidth / std::max(1, bars);
    const int every = (kMinRoom + room - 1) / std::max(1, room);
    auto ticker = QSharedPointer<QCPAxisTickerText>::create();
    for (int bar = 0; bar < bars; bar += every)
        ticker->addTick(bar, elided(figure.bars[bar], room * every - 6));
    return ticker;
}

void addBars(QCustomPlot& plot, const ReportFigure& figure)
{
    plot.xAxis->setTicker(barTicker(figure));
    const bool anyPlanned = std::ranges::any_of(figure.layers, &ReportLayer::isPlanned);
    for (const bool isPlanned : {false, true})
        addLayers(plot, figure, isPlanned, placeOf(isPlanned, anyPlanned));
    plot.rescaleAxes();
    const double middle = static_cast<double>(figure.bars.size() - 1) / 2;
    const double reach = std::max(kMinBars, static_cast<double>(figure.bars.size()) + 0.5) / 2;
    plot.xAxis->setRange(middle - reach, middle + reach);
    plot.yAxis->setRangeLower(0);
    plot.yAxis->setRangeUpper(plot.yAxis->range().upper * 1.05);
    if (!needsLegend(figure))
        return;
    for (const bool isPlanned : {false, true})
        addNumbers(plot, figure, isPlanned, placeOf(isPlanned, anyPlanned));
}

} // namespace

QSize figureSize(const ReportFigure& figure)
{
    const QStringList names = namesOf(figure);
    if (names.size() < 2)
        return kSize;
    const auto columns = legendColumns(names);
    const auto lines = int(names.size() + columns - 1) / columns;
    return kSize + QSize(0, (lines - 1) * kLegendLine);
}

QByteArray figureSvg(const ReportFigure& figure)
{
    QBuffer buffer;
    QSvgGenerator generator;
    generator.setOutputDevice(&buffer);
    const QSize size = figureSize(figure);
    generator.setSize(size);
    generator.setViewBox(QRect(QPoint(0, 0), size));

    QCustomPlot plot;
    stylePlot(plot, figure);
    if (figure.bars.isEmpty())
        addCurves(plot, figure);
    else
        addBars(plot, figure);
    QCPPainter painter(&generator);
    painter.setMode(QCPPainter::pmVectorized);
    painter.setMode(QCPPainter::pmNoCaching);
    plot.toPainter(&painter, size.width(), size.height());
    painter.end();
    const QByteArray svg = buffer.data();
    return svg.mid(svg.indexOf("<svg"));
}

void paintFigure(QPainter& painter, const QRectF& area, const QByteArray& svg)
{
    // By way of SVG, which has no resolution of its own: a QPicture would be scaled by the device's.
    QSvgRenderer renderer(svg);
    renderer.setAspectRatioMode(Qt::KeepAspectRatio);
    renderer.render(&painter, area);
}

} // namespace trainyard
