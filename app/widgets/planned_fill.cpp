#include "app/widgets/planned_fill.h"

#include <QColor>
#include <QPainter>
#include <QPen>

namespace trainyard {

namespace {
constexpr double kTint = 0.35;
constexpr double kOutline = 1.5;
} // namespace

void paintPlanned(QPainter& painter, const QRectF& part, const QColor& colour)
{
    QColor tint = colour;
    tint.setAlphaF(kTint);
    painter.fillRect(part, tint);
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(colour, kOutline));
    painter.drawRect(part.adjusted(kOutline / 2, kOutline / 2, -kOutline / 2, -kOutline / 2));
}

} // namespace trainyard
