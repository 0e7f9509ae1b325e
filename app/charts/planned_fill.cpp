#include "app/charts/planned_fill.h"

#include <algorithm>

#include <QColor>
#include <QPainter>
#include <QPen>

namespace trainyard {

namespace {
constexpr double kTint = 0.35;
constexpr double kStripes = 0.8; ///< opacity
constexpr double kOutline = 1.5;

QColor withOpacity(QColor colour, double opacity)
{
    colour.setAlphaF(static_cast<float>(opacity));
    return colour;
}

} // namespace

void paintPlanned(QPainter& painter, const QRectF& part, const QColor& colour)
{
    painter.fillRect(part, withOpacity(colour, kTint));
    paintCompared(painter, part, colour);
}

void paintPlanned(QPainter& painter, const QRectF& part, const QColor& colour, double transientFrom)
{
    QRectF passing = part;
    passing.setLeft(std::clamp(transientFrom, part.left(), part.right()));
    painter.fillRect(passing, QBrush(withOpacity(colour, kStripes), Qt::FDiagPattern));
    paintPlanned(painter, part, colour);
}

void paintCompared(QPainter& painter, const QRectF& part, const QColor& colour)
{
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(colour, kOutline));
    painter.drawRect(part.adjusted(kOutline / 2, kOutline / 2, -kOutline / 2, -kOutline / 2));
}

} // namespace trainyard
