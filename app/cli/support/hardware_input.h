#pragma once

#include <string>
#include <vector>

#include "app/plan/hardware_library.h"
#include "engine/base/result.h"
#include "engine/planner/hardware/hardware.h"
#include "engine/spec/run_spec.h"

namespace trainyard {

/// The user's own hardware and the presets.
HardwareLibrary deskHardware();

/// The node named by --hardware: a preset, the user's own (HardwareLibrary), or a JSON file. BadInput with
/// the reason.
Result<NodeModel> readHardwareInput(const std::string& hardware);

/// The name for a specification; empty for a file.
std::string specHardwareName(const std::string& hardware);

/// `hardware`, or if empty the one name that all nodes of the specification have (cluster.nodes[].hardware).
/// BadInput if they have none or differ.
Result<std::string> hardwareFor(const RunSpec& spec, const std::string& hardware);
/// The node model for a search or a scaling curve: that of hardwareFor(). If the specification names it for
/// its own hosts, limited to as many devices as they have slots, of unequal hosts the fewest.
Result<NodeModel> nodeFor(const RunSpec& spec, const std::string& hardware);
/// The model of each node of the specification: `hardware`, or if empty its own. BadInput for a node without
/// one.
Result<std::vector<NodeModel>> readNodes(const RunSpec& spec, const std::string& hardware);

} // namespace trainyard
