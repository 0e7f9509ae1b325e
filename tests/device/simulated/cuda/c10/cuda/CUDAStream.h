#pragma once

#include <c10/core/Device.h>
#include <cuda_runtime_api.h>

#include "tests/device/simulated/simulated_device.h"

// The plug-in's device type, where its sources name it.
#define kCUDA kPrivateUse1

namespace c10::cuda {

class CUDAStream {
public:
    explicit CUDAStream(std::size_t number) : m_number(number) {}
    cudaStream_t stream() const { return {m_number}; }
    operator cudaStream_t() const { return stream(); }

private:
    std::size_t m_number;
};

inline CUDAStream getCurrentCUDAStream(DeviceIndex = -1)
{
    return CUDAStream(trainyard::SimulatedDevice::current().currentStream());
}

inline CUDAStream getStreamFromPool(bool /*isHighPriority*/ = false, DeviceIndex = -1)
{
    return CUDAStream(trainyard::SimulatedDevice::current().streamFromPool());
}

} // namespace c10::cuda
