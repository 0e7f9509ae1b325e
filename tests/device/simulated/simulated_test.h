#pragma once

#include "engine/device/gpu_plugin.h"

namespace trainyard {

/// The simulated device as a plug-in, opened as the worker opens the real one. Once per process.
const GpuPlugin& simulatedPlugin();

} // namespace trainyard
