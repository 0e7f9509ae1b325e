#include "tests/support/tested_device/tested_device.h"

#include <cstdlib>
#include <string_view>

#include "tests/support/device/emulated_device.h"
#include "tests/support/tested_device/kernel_device.h"

namespace trainyard {

Device testedDevice()
{
    const char* const name = std::getenv("TRAINYARD_TEST_DEVICE");
    if (!name)
        return {};
    return std::string_view(name) == "kernels" ? kernelDevice() : emulatedDevice();
}

} // namespace trainyard
