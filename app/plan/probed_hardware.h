#pragma once

#include <string>
#include <vector>

#include "app/plan/hardware_library.h"
#include "engine/planner/calibration/probe.h"

namespace trainyard {

/// Default name of hardware probed on these hosts: "gpu1", or "gpu1-x4" for four.
std::string probedHardwareName(const std::vector<std::string>& hosts);

/// Saves the node described by the probes in the library under `name`, or probedHardwareName() if empty.
/// Keeps the price of existing hardware with that name. `date`: of the calibration. Returns the node with its
/// name. BadInput for the name of a preset; other errors as probedNode() and HardwareLibrary::store().
Result<NodeModel> keepProbedHardware(const HardwareLibrary& library, const ProbeReport& report,
                                     const std::string& name, const std::string& date);

} // namespace trainyard
