#pragma once

#include "engine/nn/device.h"

namespace trainyard {

class DropoutMasks;

/// A device on this processor: it takes all the ways that a device takes (DeviceCompute, masks and updates
/// from the headers that the kernels of devices are made of), in host memory.
Device emulatedDevice();
const DropoutMasks& emulatedMasks();

} // namespace trainyard
