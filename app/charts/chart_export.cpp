#include "app/charts/chart_export.h"

#include <QBuffer>
#include <QFileDialog>
#include <QFileInfo>
#include <QMenu>
#include <QPageSize>
#include <QPdfWriter>
#include <QRegularExpression>
#include <QSvgGenerator>

#include <qcustomplot.h>

#include "app/base/theme.h"
#include "app/charts/chart_panel.h"
#include "engine/base/file.h"

namespace trainyard {

namespace {

constexpr int kTitleHeight = 28;
constexpr int kPixelsPerPoint = 2;
constexpr int kDotsPerInch = 96;

QSize sizeOf(const QCustomPlot& plot)
{
    return plot.size() + QSize(0, kTitleHeight);
}

void paint(QCPPainter& painter, QCustomPlot& plot, const QString& title)
{
    const ThemeColours& colours = coloursOf(plot.palette());
    painter.fillRect(QRect(QPoint(), sizeOf(plot)), colours.panel);
    QFont font = plot.font();
    font.setPixelSize(metrics::kTextPixels);
    font.setBold(true);
    painter.setFont(font);
    painter.setPen(colours.text);
    painter.drawText(QRect(metrics::kPanelPadding, 0, plot.width(), kTitleHeight),
                     Qt::AlignLeft | Qt::AlignVCenter, title);
    painter.translate(0, kTitleHeight);
    plot.toPainter(&painter, plot.width(), plot.height());
}

void paintVector(QPaintDevice& device, QCustomPlot& plot, const QString& title)
{
    QCPPainter painter(&device);
    painter.setMode(QCPPainter::pmVectorized);
    paint(painter, plot, title);
}

QByteArray svgOf(QCustomPlot& plot, const QString& title)
{
    QByteArray bytes;
    QBuffer buffer(&bytes);
    QSvgGenerator svg;
    svg.setOutputDevice(&buffer);
    svg.setSize(sizeOf(plot));
    svg.setViewBox(QRect(QPoint(), sizeOf(plot)));
    svg.setTitle(title);
    paintVector(svg, plot, title);
    return bytes;
}

QByteArray pdfOf(QCustomPlot& plot, const QString& title)
{
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    QPdfWriter pdf(&buffer);
    pdf.setResolution(kDotsPerInch);
    pdf.setPageSize(QPageSize(QSizeF(sizeOf(plot)) / kDotsPerInch, QPageSize::Inch));
    pdf.setPageMargins({});
    pdf.setTitle(title);
    paintVector(pdf, plot, title);
    return bytes;
}

QByteArray pngOf(QCustomPlot& plot, const QString& title)
{
    QByteArray bytes;
    QBuffer buffer(&bytes);
    chartImage(plot, title).save(&buffer, "PNG");
    return bytes;
}

} // namespace

QImage chartImage(QCustomPlot& plot, const QString& title)
{
    QImage image(sizeOf(plot) * kPixelsPerPoint, QImage::Format_ARGB32_Premultiplied);
    image.setDevicePixelRatio(kPixelsPerPoint);
    QCPPainter painter(&image);
    paint(painter, plot, title);
    return image;
}

Status saveChartImage(QCustomPlot& plot, const QString& title, const QString& file)
{
    const QString suffix = QFileInfo(file).suffix().toLower();
    if (suffix != QLatin1String("png") && suffix != QLatin1String("svg") && suffix != QLatin1String("pdf"))
        return badInput(file.toStdString() + ": images are saved as .png, .svg or .pdf");
    const QByteArray bytes = suffix == QLatin1String("png")   ? pngOf(plot, title)
                             : suffix == QLatin1String("svg") ? svgOf(plot, title)
                                                              : pdfOf(plot, title);
    return writeFileAtomically(file.toStdString(), bytes.toStdString());
}

ChartMenu::ChartMenu(ChartPanel& chart) : QToolButton(&chart), m_chart(chart)
{
    setText(QStringLiteral("⋯"));
    setToolTip(tr("Save or copy this chart"));
    setAccessibleName(tr("Save or copy this chart"));
    setPopupMode(QToolButton::InstantPopup);
    auto* menu = new QMenu(this);
    menu->addAction(tr("Save image…"), this, [this] {
        askForFile(tr("Save image"), tr("PNG image (*.png);;SVG drawing (*.svg);;PDF page (*.pdf)"),
                   QStringLiteral("png"), [this](const QString& file) { return m_chart.saveImage(file); });
    });
    menu->addAction(tr("Save values…"), this, [this] {
        askForFile(tr("Save values"), tr("CSV table (*.csv)"), QStringLiteral("csv"),
                   [this](const QString& file) { return m_chart.saveValues(file); });
    });
    menu->addAction(tr("Copy image"), &m_chart, &ChartPanel::copyImage);
    setMenu(menu);
}

void ChartMenu::addPin()
{
    menu()->addAction(tr("Pin values (P, Ctrl + click)"), &m_chart, &ChartPanel::pinAtCursor);
}

void ChartMenu::askForFile(const QString& caption, const QString& filters, const QString& suffix,
                           const std::function<Status(const QString& file)>& save)
{
    static const QRegularExpression others(QStringLiteral("[^a-z0-9]+"));
    const QString proposal = m_chart.title().toLower().replace(others, QStringLiteral("-"));
    QString file =
        QFileDialog::getSaveFileName(&m_chart, caption, proposal + QLatin1Char('.') + suffix, filters);
    if (file.isEmpty())
        return;
    if (QFileInfo(file).suffix().isEmpty())
        file += QLatin1Char('.') + suffix;
    const Status status = save(file);
    if (status.ok())
        emit m_chart.saved(file);
    else
        emit m_chart.saveFailed(status.error());
}

} // namespace trainyard
