#include "engine/device/cuda/cuda_compute.h"
#include "engine/device/cuda/cuda_masks.h"

// ATen's operators, which the simulated device notes and orders. The kernels behind CudaCompute are tried in
// host memory (tests/device/kernels).

namespace trainyard {

const Compute* cudaCompute()
{
    static const DeviceCompute compute({*cudaMasks()});
    return &compute;
}

} // namespace trainyard
