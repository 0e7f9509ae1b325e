#pragma once

#include "engine/planner/calibration/probe.h"
#include "engine/planner/hardware/hardware.h"

namespace trainyard {

/// Predicted seconds of the probe on this node, by the time model (engine/planner/time).
double predictedTime(const Probe& probe, const ProbedHardware& hardware, const NodeModel& node);

} // namespace trainyard
