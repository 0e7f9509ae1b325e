#include "app/charts/curve_layer.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace trainyard {

namespace {

constexpr double kDot = 6;
constexpr double kFarBelow = 1e-3;
constexpr double kVisibleStroke = 1.5; ///< pixels between minimum and maximum that a line shows as such

} // namespace

CurveLayer::CurveLayer(QCPAxis& horizontal, QCPAxis& vertical) : QCPAbstractPlottable(&horizontal, &vertical)
{
}

QCPRange CurveLayer::getKeyRange(bool& found, QCP::SignDomain) const
{
    found = false; // the chart sets its axes itself
    return {};
}

QCPRange CurveLayer::getValueRange(bool& found, QCP::SignDomain, const QCPRange&) const
{
    found = false;
    return {};
}

bool CurveLayer::isStroked(const DrawnLine& line) const
{
    return m_fine && line.stroked;
}

void CurveLayer::draw(QCPPainter* painter)
{
    drawColumns(*painter);
    for (const DrawnLine& line : m_lines) {
        if (!line.points.empty())
            drawPoints(*painter, line);
        else if (isStroked(line) || painter->modes().testFlag(QCPPainter::pmVectorized))
            strokeColumns(*painter, line);
    }
}

void CurveLayer::setLines(std::vector<DrawnLine> lines)
{
    if (!m_isDrawn) { // changes of lines that nobody saw count too
        for (DrawnLine& line : lines)
            line.changedFrom = 0;
    }
    m_lines = std::move(lines);
    m_isDrawn = false;
}

/// Pixel by pixel.
bool CurveLayer::isPainted(const DrawnLine& line) const
{
    return !line.columns.empty() && !isStroked(line);
}

int CurveLayer::firstChangedPixel(int width) const
{
    if (m_isDrawn)
        return width;
    std::int64_t first = width;
    for (const DrawnLine& line : m_lines) {
        if (isPainted(line))
            first =
                std::min(first, std::int64_t(line.changedFrom) * width / std::int64_t(line.columns.size()));
    }
    return int(first);
}

void CurveLayer::drawColumns(QCPPainter& painter)
{
    if (painter.modes().testFlag(QCPPainter::pmVectorized))
        return;
    if (m_bands.empty() &&
        std::ranges::none_of(m_lines, [this](const auto& line) { return isPainted(line); }))
        return;
    const QRect area = clipRect();
    const double ratio = painter.device()->devicePixelRatioF();
    const QCPAxis& vertical = *mValueAxis;
    const QCPRange range = vertical.range();
    const bool logarithmic = vertical.scaleType() == QCPAxis::stLogarithmic;
    const double units = logarithmic ? std::log(range.upper / range.lower) : range.size();
    // What a logarithmic axis cannot show lies far below it.
    Look look{area.size() * ratio,
              {.logarithmic = logarithmic,
               .upper = range.upper,
               .least = range.lower * kFarBelow,
               .perUnit = area.height() * ratio / units},
              {}};
    ColumnImage image(look.size, look.scale);
    for (const DrawnBand& band : m_bands)
        image.addBand(band.columns, band.colour);
    for (const DrawnLine& line : m_lines) {
        if (!isPainted(line))
            continue;
        image.addLine(line.columns, line.pen.color(), int(std::lround(ratio)));
        look.shapes.emplace_back(line.pen.color().rgba(), line.columns.size());
    }
    if (m_bands.empty() && look == m_look) {
        image.repaint(m_image, firstChangedPixel(look.size.width()));
    } else {
        m_image = image.image();
        m_look = std::move(look);
    }
    m_image.setDevicePixelRatio(ratio);
    m_isDrawn = m_bands.empty();
    painter.drawImage(area.topLeft(), m_image);
}

void CurveLayer::drawPoints(QCPPainter& painter, const DrawnLine& line) const
{
    painter.setAntialiasing(m_fine);
    painter.setPen(m_fine ? line.pen : QPen(line.pen.color(), 0, line.pen.style()));
    painter.setBrush(Qt::NoBrush);
    QPolygonF piece;
    const auto flush = [&] {
        painter.drawPolyline(piece);
        if (line.dots || piece.size() == 1) {
            const QCPScatterStyle dot(QCPScatterStyle::ssDisc, line.pen.color(), kDot);
            dot.applyTo(&painter, line.pen);
            for (const QPointF& point : piece)
                dot.drawShape(&painter, point);
            painter.setPen(line.pen);
            painter.setBrush(Qt::NoBrush);
        }
        piece.clear();
    };
    for (const QPointF& point : line.points) {
        if (std::isfinite(point.y()))
            piece.append(coordsToPixels(point.x(), point.y()));
        else if (!piece.isEmpty())
            flush();
    }
    if (!piece.isEmpty())
        flush();
}

/// Through the newest value of every column, by way of its extremes where they can be told apart.
void CurveLayer::strokeColumns(QCPPainter& painter, const DrawnLine& line) const
{
    const QRect area = clipRect();
    const double width = double(area.width()) / double(line.columns.size());
    painter.setAntialiasing(true);
    painter.setPen(line.pen);
    painter.setBrush(Qt::NoBrush);
    QPolygonF piece;
    for (std::size_t i = 0; i < line.columns.size(); ++i) {
        const ValueSummary& column = line.columns[i];
        if (column.finite == 0) {
            if (column.notFinite > 0)
                painter.drawPolyline(std::exchange(piece, {}));
            continue;
        }
        const double x = area.left() + (double(i) + 0.5) * width;
        double first = mValueAxis->coordToPixel(column.min);
        double second = mValueAxis->coordToPixel(column.max);
        if (std::fabs(second - first) > kVisibleStroke) {
            if (!piece.isEmpty() &&
                std::fabs(piece.last().y() - second) < std::fabs(piece.last().y() - first))
                std::swap(first, second);
            piece << QPointF(x, first) << QPointF(x, second);
        }
        piece << QPointF(x, mValueAxis->coordToPixel(column.last));
    }
    painter.drawPolyline(piece);
}

} // namespace trainyard
