#pragma once

#include <QString>

#include "app/runs/step_table.h"
#include "app/series/axis_ticks.h"
#include "app/series/smoothing.h"

namespace trainyard {

/// What the horizontal axis of every chart of a page counts. Ranks is for scaling studies, which have no
/// steps.
enum class ChartAxis {
    Step,
    Tokens,
    Samples,
    Time, ///< of training: pauses and restarts leave no gap
    Wall, ///< of the clock
    Ranks
};

/// How the charts of a page are drawn; one switch for all of them.
struct ChartOptions {
    ChartAxis axis = ChartAxis::Step;
    bool logarithmic = false;  ///< the vertical axis
    bool logarithmicX = false; ///< the horizontal one
    bool hideOutliers = true;
    Smoothing smoothing;

    bool operator==(const ChartOptions&) const = default;
};

StepColumn columnOf(ChartAxis axis); ///< requires an axis that steps have
Quantity quantityOf(ChartAxis axis);
bool canBeLogarithmic(ChartAxis axis);
QString titleOf(ChartAxis axis);                ///< "step", "tokens", "training time"
QString positionText(ChartAxis axis, double x); ///< "step 1 240", "1.2M tokens", "3 min 20 s"

} // namespace trainyard
