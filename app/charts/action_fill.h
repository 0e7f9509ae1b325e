#pragma once

#include <QBrush>
#include <QList>

#include "app/base/theme.h"
#include "app/charts/chart_legend.h"
#include "engine/planner/pipeline/pipeline_schedule.h"

namespace trainyard {

/// How an action of a pipeline is painted.
struct ActionFill {
    QBrush brush;
    QColor text; ///< on it
};

/// Reductions have the colour of data parallelism. Gradients of the weights alone are paler than a whole
/// backward pass; so is what belongs to later chunks of a rank.
ActionFill fillOf(const PipelineAction& action, int chunks, const ThemeColours& colours);

/// "forward", "backward", ...: what the fills stand for; `splitBackward` where weight gradients are apart.
QList<LegendEntry> actionLegend(bool splitBackward);

} // namespace trainyard
