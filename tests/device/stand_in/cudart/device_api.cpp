// libcudart's functions on devices and errors.
#include <atomic>
#include <cstring>

#include <cuda_runtime_api.h>

#include "tests/device/stand_in/cudart/device.h"
#include "tests/device/stand_in/cudart/errors.h"

using namespace trainyard::stand_in;

namespace {

constexpr int kVersion = 13000;

thread_local cudaError_t lastError = cudaSuccess;
std::atomic<bool> isLost{false};

} // namespace

namespace trainyard::stand_in {

cudaError_t failedWith(cudaError_t error)
{
    return lastError = error;
}

cudaError_t lostWith()
{
    return isLost ? cudaErrorECCUncorrectable : cudaSuccess;
}

void loseDevice()
{
    isLost = true;
}

} // namespace trainyard::stand_in

extern "C" {

cudaError_t cudaGetLastError()
{
    const cudaError_t error = lastError;
    lastError = lostWith();
    return error;
}

cudaError_t cudaPeekAtLastError()
{
    return lastError;
}

const char* cudaGetErrorString(cudaError_t error)
{
    switch (error) {
    case cudaSuccess:
        return "no error";
    case cudaErrorMemoryAllocation:
        return "out of memory";
    case cudaErrorNotReady:
        return "device not ready";
    case cudaErrorECCUncorrectable:
        return "uncorrectable ECC error encountered";
    default:
        return "error of the stand-in";
    }
}

const char* cudaGetErrorName(cudaError_t error)
{
    return cudaGetErrorString(error);
}

cudaError_t cudaDriverGetVersion(int* version)
{
    *version = kVersion;
    return cudaSuccess;
}

cudaError_t cudaRuntimeGetVersion(int* version)
{
    *version = kVersion;
    return cudaSuccess;
}

cudaError_t cudaGetDeviceCount(int* count)
{
    *count = 1;
    return cudaSuccess;
}

cudaError_t cudaGetDevice(int* number)
{
    *number = 0;
    return cudaSuccess;
}

cudaError_t cudaSetDevice(int number)
{
    TRAINYARD_STAND_IN_ALIVE();
    return number == 0 ? cudaSuccess : failedWith(cudaErrorInvalidDevice);
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int number)
{
    TRAINYARD_STAND_IN_ALIVE();
    if (number != 0)
        return failedWith(cudaErrorInvalidDevice);
    *properties = {};
    std::strcpy(properties->name, "Stand-in device");
    properties->totalGlobalMem = device().memory.totalBytes();
    properties->major = 9;
    properties->multiProcessorCount = 8;
    properties->warpSize = 32;
    properties->maxThreadsPerBlock = 1024;
    properties->maxThreadsPerMultiProcessor = 2048;
    properties->regsPerBlock = 65536;
    properties->sharedMemPerBlock = 48 << 10;
    properties->l2CacheSize = 32 << 20;
    for (int dimension = 0; dimension < 3; ++dimension) {
        properties->maxThreadsDim[dimension] = dimension < 2 ? 1024 : 64;
        properties->maxGridSize[dimension] = dimension == 0 ? 0x7fffffff : 65535;
    }
    return cudaSuccess;
}

cudaError_t cudaDeviceSynchronize()
{
    TRAINYARD_STAND_IN_ALIVE();
    device().finishAll();
    return cudaSuccess;
}

cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest)
{
    *least = 0;
    *greatest = -5;
    return cudaSuccess;
}

cudaError_t cudaDeviceCanAccessPeer(int* can, int, int)
{
    *can = 0;
    return cudaSuccess;
}
}
