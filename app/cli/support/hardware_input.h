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

/// The node that --hardware names: a preset, the user's own (HardwareLibrary), or a file like one. BadInput
/// names what is wrong with it.
Result<NodeModel> readHardwareInput(const std::string& hardware);

/// As a specification names it; empty for a file.
std::string specHardwareName(const std::string& hardware);

/// `hardware`, or where it is empty the one name that all of the specification's nodes have
/// (cluster.nodes[].hardware). BadInput where they have none or differ.
Result<std::string> hardwareFor(const RunSpec& spec, const std::string& hardware);
/// The kind of node that a search or a scaling curve is for: that of hardwareFor(). Where the specification
/// names it for its own hosts, they have no more devices than slots there; of unequal hosts the fewest.
Result<NodeModel> nodeFor(const RunSpec& spec, const std::string& hardware);
/// Of each of the specification's nodes: `hardware`, or where it is empty its own. BadInput for a node that
/// has none.
Result<std::vector<NodeModel>> readNodes(const RunSpec& spec, const std::string& hardware);

} // namespace trainyard
