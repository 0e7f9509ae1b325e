#include <algorithm>
#include <cstring>
#include <string_view>

#include <cuda_runtime_api.h>

#include "tests/device/simulated/simulated_device.h"

using trainyard::MemoryAccess;
using trainyard::SimulatedMemory;
using trainyard::SimulatedWork;

namespace {

constexpr std::size_t kMemoryBytes = std::size_t{8} << 30; // said, not counted

} // namespace

cudaError_t cudaGetDeviceCount(int* count)
{
    *count = 1;
    return cudaSuccess;
}

cudaError_t cudaSetDevice(int device)
{
    return device == 0 ? cudaSuccess : cudaErrorInvalidDevice;
}

cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* total)
{
    *free = *total = kMemoryBytes;
    return cudaSuccess;
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device)
{
    *properties = {};
    std::ranges::copy(std::string_view("simulated device"), properties->name);
    properties->multiProcessorCount = 1;
    return cudaSetDevice(device);
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* memory)
{
    const SimulatedMemory& known = SimulatedMemory::instance();
    attributes->type = known.isDevices(memory)  ? cudaMemoryTypeDevice
                       : known.isPinned(memory) ? cudaMemoryTypeHost
                                                : cudaMemoryTypeUnregistered;
    return cudaSuccess;
}

cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind,
                            cudaStream_t stream)
{
    SimulatedWork copy("cudaMemcpyAsync", stream.number);
    const void* const source = copy.use(from, bytes, MemoryAccess::Read);
    if (void* const target = copy.use(to, bytes, MemoryAccess::Write))
        std::memcpy(target, source, bytes);
    return cudaSuccess;
}

const char* cudaGetErrorString(cudaError_t error)
{
    return error == cudaSuccess ? "no error" : "invalid device";
}
