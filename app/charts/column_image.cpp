#include "app/charts/column_image.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

#include "app/base/pool_work.h"

namespace trainyard {

namespace {

constexpr int kStripWidth = 32; ///< pixels

/// Whether a line is broken in a column: it says something, but nothing that could be drawn.
bool breaks(const ValueSummary& column)
{
    return column.notFinite > 0 && column.finite == 0;
}

/// Of what is not negative; much quicker than std::ceil() where the processor has no instruction for that.
int roundedUp(double value)
{
    const int below = int(value);
    return below + (value > below ? 1 : 0);
}

} // namespace

double HeightScale::heightOf(double value) const
{
    return logarithmic ? std::log(upper / std::max(value, least)) * perUnit : (upper - value) * perUnit;
}

/// A part of the image from top to bottom, kept column by column, because strokes are vertical. What is
/// filled once stays: shapes come from the front to the back, so that nothing is painted twice.
class ColumnImage::Strip {
public:
    Strip(int left, int right, int height)
        : m_left(left)
        , m_right(right)
        , m_height(height)
        , m_words((height + kWordBits - 1) / kWordBits)
        , m_pixels(std::size_t(right - left) * std::size_t(height), qRgba(0, 0, 0, 0))
        , m_free(std::size_t(right - left) * std::size_t(m_words), ~std::uint64_t(0))
        , m_covered(std::size_t(right - left))
    {
    }
    int left() const { return m_left; }
    int right() const { return m_right; }

    /// In columns [left, right) of the image, as far as they are the strip's.
    void fill(int left, int right, const Stroke& stroke, QRgb pixel, int thickness)
    {
        const double thin = std::max(0.0, thickness - (stroke.bottom - stroke.top)) / 2;
        const double top = stroke.top - thin + 0.5;
        const double bottom = stroke.bottom + thin - 0.5;
        for (int x = std::max(left, m_left); x < std::min(right, m_right); ++x) {
            Run& covered = m_covered[std::size_t(x - m_left)];
            if (top >= covered.top && bottom <= covered.bottom)
                continue; // as most strokes of many curves are
            const double height = m_height;
            const Run run{int(std::clamp(top, 0.0, height)), roundedUp(std::clamp(bottom, 0.0, height))};
            fillColumn(x - m_left, run.top, run.bottom, pixel);
            covered.takeIn(run);
        }
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
    static constexpr int kWordBits = 64;

    /// Pixels [top, bottom) of a column.
    struct Run {
        int top = 0;
        int bottom = 0;

        /// Grows by what touches it; of runs apart the longer one stays.
        void takeIn(const Run& other)
        {
            if (other.top <= bottom && top <= other.bottom)
                *this = {std::min(top, other.top), std::max(bottom, other.bottom)};
            else if (other.bottom - other.top > bottom - top)
                *this = other;
        }
    };

    void fillColumn(int column, int top, int bottom, QRgb pixel)
    {
        QRgb* pixels = m_pixels.data() + std::ptrdiff_t(column) * m_height;
        std::uint64_t* free = m_free.data() + std::ptrdiff_t(column) * m_words;
        for (int word = top / kWordBits; word * kWordBits < bottom; ++word) {
            const int first = word * kWordBits;
            const std::uint64_t fromTop = ~std::uint64_t(0) << std::max(0, top - first);
            const std::uint64_t toBottom = ~std::uint64_t(0) >> std::max(0, first + kWordBits - bottom);
            std::uint64_t wanted = free[word] & fromTop & toBottom;
            free[word] &= ~wanted;
            while (wanted != 0) { // run by run
                const int begin = std::countr_zero(wanted);
                const int length = std::countr_one(wanted >> begin);
                std::fill_n(pixels + first + begin, length, pixel);
                wanted &= begin + length < kWordBits ? ~std::uint64_t(0) << (begin + length) : 0;
            }
        }
    }

    int m_left;
    int m_right;
    int m_height;
    int m_words; ///< of a column
    std::vector<QRgb> m_pixels;
    std::vector<std::uint64_t> m_free; ///< a bit for each pixel, column by column
    std::vector<Run> m_covered;        ///< of each column: the longest that is known to be full
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
    repaint(image, 0);
    return image;
}

void ColumnImage::repaint(QImage& image, int from) const
{
    auto* pixels = reinterpret_cast<QRgb*>(image.bits());
    const qsizetype stride = image.bytesPerLine() / qsizetype(sizeof(QRgb));
    const int first = std::max(0, from) / kStripWidth;
    const int end = (m_size.width() + kStripWidth - 1) / kStripWidth;
    parallelFor(std::size_t(std::max(0, end - first)), [&](std::size_t number) {
        const int left = (first + int(number)) * kStripWidth;
        Strip strip(left, std::min(left + kStripWidth, m_size.width()), m_size.height());
        for (auto shape = m_shapes.rbegin(); shape != m_shapes.rend(); ++shape)
            paint(*shape, strip);
        strip.copyTo(pixels, stride);
    });
}

ColumnImage::Stroke ColumnImage::strokeOf(const ValueSummary& column) const
{
    return {m_scale.heightOf(column.max), m_scale.heightOf(column.min)};
}

void ColumnImage::paint(const Shape& shape, Strip& strip) const
{
    const std::vector<ValueSummary>& columns = *shape.columns;
    const auto count = std::int64_t(columns.size());
    const std::int64_t width = m_size.width();
    // Mostly there is a column for each pixel.
    const auto leftOf = [&](std::int64_t i) { return int(count == width ? i : i * width / count); };
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
        strip.fill(leftOf(at), leftOf(at + 1), stroke, shape.pixel, shape.thickness);
        before = m_scale.heightOf(column.last);
        joined = shape.joined;
    }
}

} // namespace trainyard
