#pragma once

#include <QPointF>

class QColor;
class QPainter;

namespace trainyard {

/// Shapes of single points, to tell series apart without colour.
enum class ChartMarker { Square, Diamond, Triangle, Circle };
constexpr int kChartMarkers = 4;

/// Filled; `radius` in pixels.
void paintMarker(QPainter& painter, ChartMarker marker, const QPointF& centre, double radius,
                 const QColor& colour);

} // namespace trainyard
