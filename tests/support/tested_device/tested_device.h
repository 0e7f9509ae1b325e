#pragma once

#include "engine/nn/device.h"

namespace trainyard {

/// What a test is to compute on: the processor, or what TRAINYARD_TEST_DEVICE names in a test that
/// trainyard_test registered once more, with ON_DEVICE ("emulated", emulatedDevice()) or ON_KERNELS
/// ("kernels", kernelDevice()).
Device testedDevice();

} // namespace trainyard
