#pragma once

#include <QRectF>

class QColor;
class QPainter;

namespace trainyard {

/// What is planned: an outline in its colour, for what was measured is solid; the tint only helps the eye to
/// find it again.
void paintPlanned(QPainter& painter, const QRectF& part, const QColor& colour);
/// The same with stripes over what comes and goes, from `transientFrom` (x) to the right edge.
void paintPlanned(QPainter& painter, const QRectF& part, const QColor& colour, double transientFrom);
/// Of another plan that is only compared with: an outline without a tint.
void paintCompared(QPainter& painter, const QRectF& part, const QColor& colour);

} // namespace trainyard
