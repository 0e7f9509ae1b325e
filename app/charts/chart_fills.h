#pragma once

#include <QBrush>
#include <QList>
#include <QRectF>

#include "app/base/theme.h"
#include "app/charts/chart_legend.h"
#include "engine/planner/pipeline/pipeline_schedule.h"

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

/// Colours of a pipeline action.
struct ActionFill {
    QBrush brush;
    QColor text; ///< on it
};

/// Reductions have the colour of data parallelism. Weight gradients alone are paler than a full backward
/// pass, and later chunks of a rank are paler too.
ActionFill fillOf(const PipelineAction& action, int chunks, const ThemeColours& colours);

/// Labels of the fills: "forward", "backward", ...; `splitBackward` if weight gradients are separate.
QList<LegendEntry> actionLegend(bool splitBackward);

} // namespace trainyard
