#pragma once

#include <string>

#include "engine/base/result.h"
#include "engine/planner/hardware/hardware.h"

namespace trainyard {

/// The node that --hardware names: a preset, the user's own (HardwareLibrary), or a file like one. BadInput
/// names what is wrong with it.
Result<NodeModel> readHardwareInput(const std::string& hardware);

} // namespace trainyard
