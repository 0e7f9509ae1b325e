#include "tests/support/tested_device/kernel_device.h"

#include "engine/device/cuda/cuda_compute.h"
#include "engine/device/cuda/cuda_masks.h"
#include "tests/support/device/emulated_device.h"

namespace trainyard {

Device kernelDevice()
{
    static const CudaCompute compute({*cudaMasks()});
    Device device = emulatedDevice();
    device.compute = &compute;
    return device;
}

} // namespace trainyard
