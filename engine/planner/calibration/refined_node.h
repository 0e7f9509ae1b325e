#pragma once

#include <string>
#include <vector>

#include "engine/planner/calibration/measured_rows.h"
#include "engine/planner/hardware/hardware.h"

namespace trainyard {

/// `node` with what steps of our own program, measured on such nodes, correct: the factors of calibrate(), in
/// place of those that it had. Its error band becomes what the corrected model is off these steps (root of
/// the mean square), as if kUnseenSteps more had been off by the model's own error: a factor that is fitted
/// to one step agrees with it, and says little about the next one.
///
/// `steps`: at least one; their specifications say how many devices a node has. `date`: of the calibration.
/// BadInput as StepModel::create() says, with the step's number.
Result<NodeModel> refinedNode(NodeModel node, const std::vector<MeasuredRow>& steps, const std::string& date);

constexpr double kUnseenSteps = 2;

} // namespace trainyard
