#pragma once

#include <QBrush>
#include <QList>

#include "app/base/theme.h"
#include "app/charts/chart_legend.h"
#include "engine/planner/pipeline/pipeline_schedule.h"

namespace trainyard {

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
