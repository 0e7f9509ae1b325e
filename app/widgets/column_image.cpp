#include "app/widgets/column_image.h"

#include <algorithm>
#include <cmath>

#include "app/models/parallel_for.h"

namespace trainyard {

namespace {

constexpr int kStripWidth = 32; ///< pixels

/// Whether a line is broken in a column: it says something, but nothing that could be drawn.
bool breaks(const ValueSummary& column)
{
    return column.notFinite > 0 && column.finite == 0;
}

} // namespace

double HeightScale::heightOf(double value) const
{
    return logarithmic ? std::log(upper / std::max(value, least)) * perUnit : (upper - value) * perUnit;
}

/// A part of the image from top to bottom, kept column by column, because strokes are vertical.
class ColumnImage::Strip {
public:
    Strip(int left, int right, int height)
        : m_left(left)
        , m_right(right)
        , m_height(height)
        , m_pixels(std::size_t(right - left) * std::size_t(height), qRgba(0, 0, 0, 0))
    {
    }
    int left() const { return m_left; }
    int right() const { return m_right; }

    /// In columns [left, right) of the image, as far as they are the strip's.
    void fill(int left, int right, const Stroke& stroke, QRgb pixel, int thickness)
    {
        const double thin = std::max(0.0, thickness - (stroke.bottom - stroke.top)) / 2;
        const int top = int(std::clamp(std::floor(stroke.top - thin + 0.5), 0.0, double(m_height)));
        const int bottom =
            int(std::clamp(std::ceil(stroke.bottom + thin - 0.5), double(top), double(m_height)));
        for (int x = std::max(left, m_left); x < std::min(right, m_right); ++x)
            std::fill_n(m_pixels.begin() + std::ptrdiff_t(x - m_left) * m_height + top, bottom - top, pixel);
    }

    /// Into an image whose lines are `stride` pixels apart.
    void copyTo(QRgb* image, qsizetype stride) const
    {
        for (int y = 0; y < m_height; ++y) {
            for (int x = m_left; x < m_right; ++x)
                image[y * stride + x] =
                    m_pixels[std::size_t(x - m_left) * std::size_t(m_height) + std::size_t(y)];
        }
    }

private:
    int m_left;
    int m_right;
    int m_height;
    std::vector<QRgb> m_pixels;
};

void ColumnImage::addLine(const std::vector<ValueSummary>& columns, const QColor& colour, int thickness)
{
    m_shapes.push_back({&columns, qPremultiply(colour.rgba()), thickness, true});
}

void ColumnImage::addBand(const std::vector<ValueSummary>& columns, const QColor& colour)
{
    m_shapes.push_back({&columns, qPremultiply(colour.rgba()), 1, false});
}

QImage ColumnImage::image() const
{
    QImage image(m_size, QImage::Format_ARGB32_Premultiplied);
    auto* pixels = reinterpret_cast<QRgb*>(image.bits());
    const qsizetype stride = image.bytesPerLine() / qsizetype(sizeof(QRgb));
    const int strips = (m_size.width() + kStripWidth - 1) / kStripWidth;
    parallelFor(std::size_t(strips), [&](std::size_t number) {
        const int left = int(number) * kStripWidth;
        Strip strip(left, std::min(left + kStripWidth, m_size.width()), m_size.height());
        for (const Shape& shape : m_shapes)
            paint(shape, strip);
        strip.copyTo(pixels, stride);
    });
    return image;
}

ColumnImage::Stroke ColumnImage::strokeOf(const ValueSummary& column) const
{
    return {m_scale.heightOf(column.most), m_scale.heightOf(column.least)};
}

void ColumnImage::paint(const Shape& shape, Strip& strip) const
{
    const std::vector<ValueSummary>& columns = *shape.columns;
    const auto count = std::int64_t(columns.size());
    const std::int64_t width = m_size.width();
    const auto end = std::size_t(std::min(count, (strip.right() * count + width - 1) / width));
    auto first = std::size_t(strip.left() * count / width);
    while (shape.joined && first > 0 && columns[--first].count() == 0) {
    } // the column before the strip that says something, where its line comes from
    double before = 0;
    bool joined = false;
    for (std::size_t i = first; i < end; ++i) {
        const ValueSummary& column = columns[i];
        if (breaks(column))
            joined = false;
        if (column.finite == 0)
            continue;
        Stroke stroke = strokeOf(column);
        if (joined)
            stroke = {std::min(stroke.top, before), std::max(stroke.bottom, before)};
        const auto at = std::int64_t(i);
        strip.fill(int(at * width / count), int((at + 1) * width / count), stroke, shape.pixel,
                   shape.thickness);
        before = m_scale.heightOf(column.last);
        joined = shape.joined;
    }
}

} // namespace trainyard
