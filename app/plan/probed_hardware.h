#pragma once

#include <string>
#include <vector>

#include "app/plan/hardware_library.h"
#include "engine/planner/calibration/probe.h"

namespace trainyard {

/// What hardware is called that was probed on these hosts, when nobody says: "gpu1", "gpu1-x4" of four.
std::string probedHardwareName(const std::vector<std::string>& hosts);

/// Keeps the node that the probes describe in the library; `name` empty = probedHardwareName(). Of hardware
/// of that name the price stays, which no probe finds. `date`: of the calibration. The node, with its name,
/// or BadInput for the name of a preset, and what probedNode() and HardwareLibrary::store() say.
Result<NodeModel> keepProbedHardware(const HardwareLibrary& library, const ProbeReport& report,
                                     const std::string& name, const std::string& date);

} // namespace trainyard
