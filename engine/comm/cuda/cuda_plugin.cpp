#include "engine/comm/cuda/cuda_plugin.h"

#include <cstdio>
#include <exception>
#include <memory>

#include <cuda_runtime_api.h>

#include "engine/comm/cuda/nccl_transport.h"

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

Transport* makeTransport(Transport* host, int device, char* error, std::size_t errorSize)
{
    try {
        return std::make_unique<NcclTransport>(std::unique_ptr<Transport>(host), device).release();
    } catch (const std::exception& exception) {
        std::snprintf(error, errorSize, "%s", exception.what());
        return nullptr;
    }
}

} // namespace

} // namespace trainyard

extern "C" __attribute__((visibility("default"))) const trainyard::CudaPlugin* trainyardCudaPlugin()
{
    static constexpr trainyard::CudaPlugin plugin{trainyard::kCudaPluginVersion, &trainyard::deviceCount,
                                                  &trainyard::deviceMemory, &trainyard::makeTransport};
    return &plugin;
}
