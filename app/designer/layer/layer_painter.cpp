#include "app/designer/layer/layer_painter.h"

#include <cmath>

#include <QPainter>

namespace trainyard {

namespace {

constexpr double kArrow = 3; ///< half the width of an arrow head
constexpr double kBoxRadius = 4;

/// Equal kinds have equal colours.
int seriesOf(DrawnBox::Kind kind)
{
    switch (kind) {
    case DrawnBox::Kind::Embedding:
    case DrawnBox::Kind::Head:
        return 0;
    case DrawnBox::Kind::Attention:
        return 1;
    case DrawnBox::Kind::FeedForward:
    case DrawnBox::Kind::Experts:
        return 2;
    case DrawnBox::Kind::Router:
        return 3;
    case DrawnBox::Kind::Norm:
        break;
    }
    return -1;
}

QColor stripeOf(DrawnBox::Kind kind, const ThemeColours& colours)
{
    const int style = seriesOf(kind);
    return style < 0 ? colours.muted : seriesStyle(colours.scheme, style).colour;
}

/// Moves lines to the middle of pixels, where they are sharp.
QRectF sharp(const QRectF& rect)
{
    return QRectF(QPointF(std::floor(rect.left()), std::floor(rect.top())),
                  QPointF(std::floor(rect.right()), std::floor(rect.bottom())))
        .adjusted(0.5, 0.5, -0.5, -0.5);
}

QPolygonF sharp(const QPolygonF& line)
{
    QPolygonF moved;
    for (const QPointF& point : line)
        moved << QPointF(std::floor(point.x()) + 0.5, std::floor(point.y()) + 0.5);
    return moved;
}

/// The shaft ends where the head begins, whose tip touches what the arrow points at.
void paintArrow(QPainter& painter, const QPolygonF& line, const QColor& colour)
{
    QPolygonF shaft = sharp(line);
    const QPointF from = shaft[shaft.size() - 2];
    const QLineF last(from, shaft.last());
    if (last.length() <= 0)
        return;
    const QPointF along = (last.p2() - last.p1()) / last.length();
    const QPointF across(-along.y(), along.x());
    const QPointF tip = shaft.last() - along * 0.5;
    shaft.last() = tip - along * 2 * kArrow;
    painter.setPen(colour);
    painter.setBrush(Qt::NoBrush);
    painter.drawPolyline(shaft);
    painter.setPen(Qt::NoPen);
    painter.setBrush(colour);
    painter.drawPolygon(QPolygonF{tip, shaft.last() + across * kArrow, shaft.last() - across * kArrow});
}

void paintSum(QPainter& painter, const QPointF& at, const ThemeColours& colours)
{
    const QPointF centre(std::floor(at.x()) + 0.5, std::floor(at.y()) + 0.5);
    const double half = LayerLayout::kSumRadius / 2;
    painter.setPen(colours.muted);
    painter.setBrush(colours.panel);
    painter.drawEllipse(centre, LayerLayout::kSumRadius, LayerLayout::kSumRadius);
    painter.drawLine(centre - QPointF(half, 0), centre + QPointF(half, 0));
    painter.drawLine(centre - QPointF(0, half), centre + QPointF(0, half));
}

void paintLines(QPainter& painter, const LayerLayout& layout, const ThemeColours& colours)
{
    painter.setPen(colours.muted);
    for (const QPolygonF& line : layout.lines())
        painter.drawPolyline(sharp(line));
    for (const QPolygonF& arrow : layout.arrows())
        paintArrow(painter, arrow, colours.muted);
    for (const QPointF& sum : layout.sums())
        paintSum(painter, sum, colours);
}

void paintBox(QPainter& painter, const DrawnBox& box, const QRectF& area, const QColor& outline,
              const ThemeColours& colours)
{
    const QRectF rect = sharp(area);
    painter.setPen(outline);
    painter.setBrush(colours.panel);
    painter.drawRoundedRect(rect, kBoxRadius, kBoxRadius);
    painter.setPen(Qt::NoPen);
    painter.setBrush(stripeOf(box.kind, colours));
    painter.drawRoundedRect(QRectF(rect.left(), rect.top(), kBoxStripe, rect.height()), kBoxStripe / 2,
                            kBoxStripe / 2);
}

void paintTexts(QPainter& painter, const LayerLayout& layout, const LayerFonts& fonts,
                const ThemeColours& colours)
{
    for (const PlacedText& text : layout.texts()) {
        painter.setFont(text.role == PlacedText::Role::Title ? fonts.title : fonts.small);
        painter.setPen(text.role == PlacedText::Role::Figures ? colours.muted : colours.text);
        painter.drawText(text.rect, text.alignment | Qt::AlignVCenter | Qt::TextSingleLine | Qt::TextDontClip,
                         text.text);
    }
}

} // namespace

void paintLayer(QPainter& painter, const LayerDrawing& drawing, const LayerLayout& layout,
                const LayerFonts& fonts, const ThemeColours& colours, int pointed)
{
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(colours.border);
    painter.setBrush(colours.window);
    painter.drawRoundedRect(sharp(layout.frame()), metrics::kRadius, metrics::kRadius);
    paintLines(painter, layout, colours);
    const auto boxes = drawing.boxes();
    for (std::size_t i = 0; i < boxes.size(); ++i)
        paintBox(painter, *boxes[i], layout.boxes()[i],
                 static_cast<int>(i) == pointed ? colours.muted : colours.border, colours);
    paintTexts(painter, layout, fonts, colours);
}

void paintLayerRing(QPainter& painter, const LayerLayout& layout, int box, const ThemeColours& colours)
{
    painter.setPen(QPen(colours.accent, box < 0 ? 1 : 2));
    painter.setBrush(Qt::NoBrush);
    const QRectF around = box < 0 ? layout.frame() : layout.boxes()[static_cast<std::size_t>(box)];
    painter.drawRoundedRect(sharp(around), kBoxRadius, kBoxRadius);
}

} // namespace trainyard
