#pragma once

#include <functional>
#include <vector>

#include <QImage>

#include "app/models/value_summary.h"

namespace trainyard {

/// Curves that come in pixel columns, painted pixel by pixel: in every column a vertical stroke from the
/// least to the most, joined to the newest value of the column before it.
class ColumnImage {
public:
    /// `heightOf` gives the position of a value in pixels from the top of the image.
    ColumnImage(const QSize& size, std::function<double(double)> heightOf);

    /// A line at least `thickness` pixels thick. What it covers is replaced, not mixed with.
    void addLine(const std::vector<ValueSummary>& columns, const QColor& colour, int thickness);
    /// The same without joining columns: the area between two curves.
    void addBand(const std::vector<ValueSummary>& columns, const QColor& colour);
    QImage image() const;

private:
    struct Stroke {
        double top;
        double bottom;
    };
    Stroke strokeOf(const ValueSummary& column) const;
    void paint(int column, int columns, const Stroke& stroke, QRgb colour, int thickness);

    std::function<double(double)> m_heightOf;
    QSize m_size;
    std::vector<QRgb> m_columns; ///< pixels from top to bottom, column by column: strokes are vertical
};

} // namespace trainyard
