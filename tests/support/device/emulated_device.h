#pragma once

#include "engine/nn/device.h"

namespace trainyard {

/// A device on this processor: it takes all the ways that a device takes, with the arithmetic that kernels of
/// devices share, as far as they can be taken in host memory.
Device emulatedDevice();

} // namespace trainyard
