#include "app/charts/image_export.h"

#include <QBuffer>
#include <QFileDialog>
#include <QFileInfo>
#include <QPageSize>
#include <QPdfWriter>
#include <QRegularExpression>
#include <QSvgGenerator>

#include <qcustomplot.h>

#include "app/base/theme.h"
#include "engine/base/file.h"

namespace trainyard {

namespace {

constexpr int kTitleHeight = 28;
constexpr int kPixelsPerPoint = 2;
constexpr int kDotsPerInch = 96;

QSize sizeOf(const SavedPicture& picture)
{
    return picture.size + QSize(0, kTitleHeight);
}

void paint(QCPPainter& painter, const SavedPicture& picture)
{
    const ThemeColours& colours = coloursOf(picture.palette);
    painter.fillRect(QRect(QPoint(), sizeOf(picture)), colours.panel);
    QFont font = picture.font;
    font.setPixelSize(metrics::kTextPixels);
    font.setBold(true);
    painter.setFont(font);
    painter.setPen(colours.text);
    painter.drawText(QRect(metrics::kPanelPadding, 0, picture.size.width(), kTitleHeight),
                     Qt::AlignLeft | Qt::AlignVCenter, picture.title);
    painter.translate(0, kTitleHeight);
    picture.paint(painter);
}

void paintVector(QPaintDevice& device, const SavedPicture& picture)
{
    QCPPainter painter(&device);
    painter.setMode(QCPPainter::pmVectorized);
    paint(painter, picture);
}

QByteArray svgOf(const SavedPicture& picture)
{
    QByteArray bytes;
    QBuffer buffer(&bytes);
    QSvgGenerator svg;
    svg.setOutputDevice(&buffer);
    svg.setSize(sizeOf(picture));
    svg.setViewBox(QRect(QPoint(), sizeOf(picture)));
    svg.setTitle(picture.title);
    paintVector(svg, picture);
    return bytes;
}

QByteArray pdfOf(const SavedPicture& picture)
{
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    QPdfWriter pdf(&buffer);
    pdf.setResolution(kDotsPerInch);
    pdf.setPageSize(QPageSize(QSizeF(sizeOf(picture)) / kDotsPerInch, QPageSize::Inch));
    pdf.setPageMargins({});
    pdf.setTitle(picture.title);
    paintVector(pdf, picture);
    return bytes;
}

QByteArray pngOf(const SavedPicture& picture)
{
    QByteArray bytes;
    QBuffer buffer(&bytes);
    imageOf(picture).save(&buffer, "PNG");
    return bytes;
}

} // namespace

QImage imageOf(const SavedPicture& picture)
{
    QImage image(sizeOf(picture) * kPixelsPerPoint, QImage::Format_ARGB32_Premultiplied);
    image.setDevicePixelRatio(kPixelsPerPoint);
    QCPPainter painter(&image);
    paint(painter, picture);
    return image;
}

Status saveImage(const SavedPicture& picture, const QString& file)
{
    const QString suffix = QFileInfo(file).suffix().toLower();
    if (suffix != QLatin1String("png") && suffix != QLatin1String("svg") && suffix != QLatin1String("pdf"))
        return badInput(file.toStdString() + ": images are saved as .png, .svg or .pdf");
    const QByteArray bytes = suffix == QLatin1String("png")   ? pngOf(picture)
                             : suffix == QLatin1String("svg") ? svgOf(picture)
                                                              : pdfOf(picture);
    return writeFileAtomically(file.toStdString(), bytes.toStdString());
}

QString imageFilters()
{
    return QObject::tr("PNG image (*.png);;SVG drawing (*.svg);;PDF page (*.pdf)");
}

QString askForFile(QWidget* parent, const QString& caption, const QString& title, const QString& filters,
                   const QString& suffix)
{
    static const QRegularExpression others(QStringLiteral("[^a-z0-9]+"));
    const QString proposal = title.toLower().replace(others, QStringLiteral("-"));
    const QString file =
        QFileDialog::getSaveFileName(parent, caption, proposal + QLatin1Char('.') + suffix, filters);
    return file.isEmpty() || !QFileInfo(file).suffix().isEmpty() ? file : file + QLatin1Char('.') + suffix;
}

} // namespace trainyard
