#pragma once

#include <functional>

#include "engine/nn/device.h"
#include "engine/planner/calibration/probe.h"

namespace trainyard {

/// The work of a probe of reach Device, ready to be repeated; it owns its tensors. What it gives a device to
/// do may be under way when it returns.
std::function<void()> deviceWork(const Probe& probe, const Device& device);

} // namespace trainyard
