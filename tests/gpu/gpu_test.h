#pragma once

#include <optional>

#include "engine/device/gpu_plugin.h"

namespace trainyard {

/// The plug-in as the worker opens it, on the first device; nothing on a machine without one. Once per
/// process. Stops the test where there is a device but the plug-in does not open.
std::optional<GpuPlugin> openFirstGpu();

} // namespace trainyard
