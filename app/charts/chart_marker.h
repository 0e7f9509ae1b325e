#pragma once

#include <QPointF>

class QColor;
class QPainter;

namespace trainyard {

/// The shape of single points: tells series apart where colours do not.
enum class ChartMarker { Square, Diamond, Triangle, Circle };
constexpr int kChartMarkers = 4;

/// Filled; `radius` in pixels.
void paintMarker(QPainter& painter, ChartMarker marker, const QPointF& centre, double radius,
                 const QColor& colour);

} // namespace trainyard
