#pragma once

#include "engine/planner/calibration/probe.h"
#include "engine/planner/hardware/hardware.h"

namespace trainyard {

/// How long the probe takes on such a node, as the time model (engine/planner/time) has it; seconds.
double predictedTime(const Probe& probe, const ProbedHardware& hardware, const NodeModel& node);

} // namespace trainyard
