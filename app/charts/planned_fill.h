#pragma once

#include <QRectF>

class QColor;
class QPainter;

namespace trainyard {

/// Planned values are outlined in their colour, because measured ones are solid; the tint only helps to find
/// them.
void paintPlanned(QPainter& painter, const QRectF& part, const QColor& colour);
/// The same with stripes over transient memory, from `transientFrom` (x) to the right edge.
void paintPlanned(QPainter& painter, const QRectF& part, const QColor& colour, double transientFrom);
/// For another plan in a comparison: an outline without a tint.
void paintCompared(QPainter& painter, const QRectF& part, const QColor& colour);

} // namespace trainyard
