#pragma once

#include <span>

#include "engine/planner/time/step_model.h"

namespace trainyard {

/// A step and its measured time.
struct MeasuredStep {
    const StepModel* model = nullptr;
    double seconds = 0;
};

/// The factors that make the model agree best with what was measured, and stay near 1: the maximum a
/// posteriori estimate with
///   - log(predicted / measured) of each step spread as a Cauchy distribution of scale 10 %, so that a step
///     which something else held up does not bend the others;
///   - log(factor) normal around 0, with the spread that each part of the hardware description deserves
///     (calibration.cpp), so that few steps decide little.
/// Found by damped Gauss-Newton steps with iterated weights. A calibration that changes which layout is the
/// fastest has to earn it: of fits in which nothing, the step as a whole, Sharing, both or each factor for
/// itself may move, the one of the least information criterion is taken (Schwarz, Annals of Statistics 6,
/// 1978), with errors spread as a Laplace distribution and the eighth that is explained worst left out. A few
/// milliseconds for 16 steps.
TimeCoefficients calibrate(std::span<const MeasuredStep> steps);

} // namespace trainyard
