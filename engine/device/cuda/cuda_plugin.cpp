#include "engine/device/cuda/cuda_plugin.h"

#include <algorithm>
#include <iterator>

#include <cuda_runtime_api.h>

#include "engine/device/cuda/cuda_compute.h"
#include "engine/device/cuda/cuda_updates.h"
#include "engine/device/cuda/nccl_transport.h"

namespace trainyard {

namespace {

int deviceCount()
{
    int count = 0;
    return cudaGetDeviceCount(&count) == cudaSuccess ? count : 0;
}

bool deviceMemory(int device, std::uint64_t* freeBytes, std::uint64_t* totalBytes)
{
    std::size_t free = 0;
    std::size_t total = 0;
    if (cudaSetDevice(device) != cudaSuccess || cudaMemGetInfo(&free, &total) != cudaSuccess)
        return false;
    *freeBytes = free;
    *totalBytes = total;
    return true;
}

bool deviceTraits(int device, CudaDeviceTraits* traits)
{
    cudaDeviceProp properties;
    if (cudaGetDeviceProperties(&properties, device) != cudaSuccess)
        return false;
    static_assert(sizeof properties.name <= sizeof traits->name);
    std::copy(std::begin(properties.name), std::end(properties.name), traits->name.begin());
    traits->processors = properties.multiProcessorCount;
    return true;
}

DeviceTransport* makeTransport(const DeviceGroupId& id, int rank, int size, DeviceTraffic traffic)
{
    return std::make_unique<NcclTransport>(id, rank, size, traffic).release();
}

} // namespace

} // namespace trainyard

extern "C" __attribute__((visibility("default"))) const trainyard::CudaPlugin* trainyardCudaPlugin()
{
    using namespace trainyard;
    static constexpr CudaPlugin plugin{kCudaPluginVersion, c10::kCUDA,    &deviceCount,
                                       &deviceMemory,      &deviceTraits, &cudaCompute,
                                       &cudaUpdates,       &makeNcclId,   &makeTransport};
    return &plugin;
}
