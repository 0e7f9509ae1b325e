#include "app/charts/chart_marker.h"

#include <QPainter>
#include <QPolygonF>

namespace trainyard {

void paintMarker(QPainter& painter, ChartMarker marker, const QPointF& centre, double radius,
                 const QColor& colour)
{
    painter.setPen(Qt::NoPen);
    painter.setBrush(colour);
    const QPointF right(radius, 0);
    const QPointF down(0, radius);
    switch (marker) {
    case ChartMarker::Square:
        painter.drawRect(QRectF(centre - right - down, centre + right + down));
        break;
    case ChartMarker::Diamond:
        painter.drawPolygon(QPolygonF{
            {centre - 1.4 * down, centre + 1.4 * right, centre + 1.4 * down, centre - 1.4 * right}});
        break;
    case ChartMarker::Triangle:
        painter.drawPolygon(
            QPolygonF{{centre - 1.3 * down, centre + 1.3 * right + down, centre - 1.3 * right + down}});
        break;
    case ChartMarker::Circle:
        painter.drawEllipse(centre, 1.15 * radius, 1.15 * radius);
        break;
    }
}

} // namespace trainyard
