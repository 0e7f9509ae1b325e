#pragma once

#include "engine/nn/device.h"

namespace trainyard {

/// The CUDA plug-in's Compute on this processor: its own sources above kernels that are compiled for the
/// processor (tests/device/kernels), in host memory. Updates are those of the emulated device.
Device kernelDevice();

} // namespace trainyard
