#include "tests/gpu/gpu_test.h"

#include <cstdlib>

#include "engine/device/device_choice.h"

namespace trainyard {

std::optional<GpuPlugin> openFirstGpu()
{
    const auto devices = visibleDevices(std::getenv("CUDA_VISIBLE_DEVICES"), hostDevices());
    if (devices.empty())
        return std::nullopt;
    return GpuPlugin::open(devices.front().name).value();
}

} // namespace trainyard
