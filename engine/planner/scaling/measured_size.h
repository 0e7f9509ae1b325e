#pragma once

#include "engine/base/result.h"
#include "engine/planner/time/step_model.h"

namespace trainyard {

/// Coefficients with which the model's step takes `seconds`, say the measured ones of one node: `own` of the
/// node, and one factor on all that a device does by itself. Links stay as they are described, so that the
/// rest of a scaling curve is what they make of it. Refused where no factor from 1/64 to 64 comes within 1 %.
Result<TimeCoefficients> scaledTo(const StepModel& model, double seconds, const TimeCoefficients& own);

} // namespace trainyard
