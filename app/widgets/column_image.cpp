#include "app/widgets/column_image.h"

#include <algorithm>
#include <cmath>

namespace trainyard {

ColumnImage::ColumnImage(const QSize& size, std::function<double(double)> heightOf)
    : m_heightOf(std::move(heightOf))
    , m_size(size)
    , m_columns(std::size_t(size.width()) * std::size_t(size.height()), qRgba(0, 0, 0, 0))
{
}

/// Turned by squares, so that both sides stay in the cache.
QImage ColumnImage::image() const
{
    constexpr int kSquare = 32;
    const int width = m_size.width();
    const int height = m_size.height();
    QImage image(m_size, QImage::Format_ARGB32_Premultiplied);
    const qsizetype line = image.bytesPerLine() / qsizetype(sizeof(QRgb));
    auto* pixels = reinterpret_cast<QRgb*>(image.bits());
    for (int left = 0; left < width; left += kSquare) {
        for (int top = 0; top < height; top += kSquare) {
            for (int y = top; y < std::min(top + kSquare, height); ++y) {
                for (int x = left; x < std::min(left + kSquare, width); ++x)
                    pixels[y * line + x] = m_columns[std::size_t(x) * std::size_t(height) + std::size_t(y)];
            }
        }
    }
    return image;
}

ColumnImage::Stroke ColumnImage::strokeOf(const ValueSummary& column) const
{
    return {m_heightOf(column.most), m_heightOf(column.least)};
}

void ColumnImage::addLine(const std::vector<ValueSummary>& columns, const QColor& colour, int thickness)
{
    const QRgb pixel = qPremultiply(colour.rgba());
    double before = 0;
    bool joined = false;
    for (std::size_t i = 0; i < columns.size(); ++i) {
        if (columns[i].notFinite > 0 && columns[i].finite == 0)
            joined = false; // the line is broken here
        if (columns[i].finite == 0)
            continue;
        Stroke stroke = strokeOf(columns[i]);
        if (joined)
            stroke = {std::min(stroke.top, before), std::max(stroke.bottom, before)};
        paint(int(i), int(columns.size()), stroke, pixel, thickness);
        before = m_heightOf(columns[i].last);
        joined = true;
    }
}

void ColumnImage::addBand(const std::vector<ValueSummary>& columns, const QColor& colour)
{
    for (std::size_t i = 0; i < columns.size(); ++i) {
        if (columns[i].finite > 0)
            paint(int(i), int(columns.size()), strokeOf(columns[i]), qPremultiply(colour.rgba()), 1);
    }
}

void ColumnImage::paint(int column, int columns, const Stroke& stroke, QRgb colour, int thickness)
{
    const int height = m_size.height();
    const double thin = std::max(0.0, thickness - (stroke.bottom - stroke.top)) / 2;
    const int top = int(std::clamp(std::floor(stroke.top - thin + 0.5), 0.0, double(height)));
    const int bottom = int(std::clamp(std::ceil(stroke.bottom + thin - 0.5), double(top), double(height)));
    const int left = column * m_size.width() / columns;
    const int right = (column + 1) * m_size.width() / columns;
    for (int x = left; x < right; ++x)
        std::fill_n(m_columns.begin() + std::ptrdiff_t(x) * height + top, bottom - top, colour);
}

} // namespace trainyard
