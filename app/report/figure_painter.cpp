#include "app/report/figure_painter.h"

#include <QBuffer>
#include <QSvgGenerator>
#include <QSvgRenderer>
#include <qcustomplot.h>

#include "app/models/theme.h"

namespace trainyard {

namespace {

constexpr int kTickPixels = 11;

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
    axis->grid()->setPen(QPen(colours().grid));
    axis->grid()->setZeroLinePen(Qt::NoPen);
}

void stylePlot(QCustomPlot& plot, const ReportFigure& figure)
{
    plot.setBackground(Qt::NoBrush);
    styleAxis(plot.xAxis, figure.xLabel);
    styleAxis(plot.yAxis, figure.yLabel);
    plot.legend->setFont(tickFont());
    plot.legend->setTextColor(colours().text);
    plot.legend->setBorderPen(Qt::NoPen);
    plot.legend->setBrush(Qt::NoBrush);
    plot.legend->setFillOrder(QCPLegend::foColumnsFirst);
    plot.legend->setWrap(6);
    plot.legend->setIconTextPadding(8);
    plot.legend->setColumnSpacing(20);
    plot.legend->setVisible(true);
    // Above the axes, so that it never covers a curve.
    plot.plotLayout()->insertRow(0);
    plot.plotLayout()->addElement(0, 0, plot.legend);
    plot.plotLayout()->setRowStretchFactor(0, 0.001);
}

void addCurves(QCustomPlot& plot, const ReportFigure& figure)
{
    int index = 0;
    for (const ReportCurve& curve : figure.curves) {
        const SeriesStyle style = seriesStyle(ColourScheme::Light, index);
        QCPGraph* graph = plot.addGraph();
        graph->setName(curve.name);
        graph->setData(curve.x, curve.y, true);
        QColor colour = style.colour;
        colour.setAlphaF(curve.faint ? 0.3F : 1.0F);
        graph->setPen(QPen(colour, curve.faint ? 1.0 : 1.6, style.line));
        if (curve.faint)
            graph->removeFromLegend();
        else
            ++index;
        if (curve.x.size() == 1)
            graph->setScatterStyle(QCPScatterStyle(QCPScatterStyle::ssDisc, 5));
    }
    plot.rescaleAxes();
    plot.yAxis->scaleRange(1.08);
}

void addBars(QCustomPlot& plot, const ReportFigure& figure)
{
    QList<double> positions;
    auto ticker = QSharedPointer<QCPAxisTickerText>::create();
    for (qsizetype i = 0; i < figure.bars.size(); ++i) {
        positions << static_cast<double>(i);
        ticker->addTick(static_cast<double>(i), figure.bars[i]);
    }
    plot.xAxis->setTicker(ticker);
    QCPBars* below = nullptr;
    for (const ReportLayer& layer : figure.layers) {
        auto* bars = new QCPBars(plot.xAxis, plot.yAxis); // owned by the plot
        bars->setName(layer.name);
        bars->setData(positions, layer.values, true);
        bars->setPen(Qt::NoPen);
        bars->setBrush(layer.colour);
        bars->setWidth(0.6);
        if (below)
            bars->moveAbove(below);
        below = bars;
    }
    plot.rescaleAxes();
    plot.xAxis->setRange(-0.75, static_cast<double>(figure.bars.size()) - 0.25);
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
