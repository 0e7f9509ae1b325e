#pragma once

#include <cstddef>
#include <vector>

#include <QColor>
#include <QImage>

#include "app/series/summary_levels.h"

namespace trainyard {

/// Mapping of values to pixels between the top and the bottom of an image.
struct HeightScale {
    bool logarithmic = false;
    double upper = 1;   ///< value at the top
    double least = 0;   ///< lower values are clamped to it, for logarithms
    double perUnit = 1; ///< pixels for one unit of the value, or of its logarithm

    double heightOf(double value) const; ///< pixels from the top
    bool operator==(const HeightScale&) const = default;
};

/// Curves that come in pixel columns, painted pixel by pixel: in every column a vertical stroke from the
/// least to the most, joined to the newest value of the column before it. The picture is made strip by strip
/// on all cores that have nothing to do: a strip with its lines stays in a core's cache.
class ColumnImage {
public:
    ColumnImage(const QSize& size, const HeightScale& scale) : m_size(size), m_scale(scale) {}

    /// A line at least `thickness` pixels thick. What it covers is replaced, not mixed with. `columns` must
    /// outlive the image.
    void addLine(const std::vector<ValueSummary>& columns, const QColor& colour, int thickness);
    /// The same without joining columns: the area between two curves.
    void addBand(const std::vector<ValueSummary>& columns, const QColor& colour);
    QImage image() const;
    /// Paints an image() anew from pixel `from` on, at the least.
    void repaint(QImage& image, int from) const;

private:
    struct Stroke {
        double top;
        double bottom;
    };
    struct Shape {
        const std::vector<ValueSummary>* columns;
        QRgb pixel;
        int thickness;
        bool joined;
    };
    class Strip;

    Stroke strokeOf(const ValueSummary& column) const;
    void paint(const Shape& shape, Strip& strip) const;

    QSize m_size;
    HeightScale m_scale;
    std::vector<Shape> m_shapes; ///< in the order in which they cover each other
};

} // namespace trainyard
