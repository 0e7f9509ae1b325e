#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/planner/hardware/hardware.h"

namespace trainyard {

/// Names of the nodes in resources/presets/hardware, in alphabetical order: "dl1.24xlarge", ...
std::vector<std::string> nodePresetNames();
/// The preset's values, or nullopt for an unknown name.
std::optional<NodeModel> nodePreset(std::string_view name);

} // namespace trainyard
