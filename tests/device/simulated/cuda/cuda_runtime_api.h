#pragma once

#include <cstddef>
#include <memory>

// The part of the CUDA runtime that engine/device/cuda uses, on the simulated device. In its place on the
// include path, so that the plug-in's own sources are compiled and run.

namespace trainyard {

/// A stream of the calling thread's device.
struct SimulatedStream {
    std::size_t number = 0;
};

} // namespace trainyard

using cudaStream_t = trainyard::SimulatedStream;

enum cudaError_t { cudaSuccess = 0, cudaErrorInvalidDevice = 101 };
enum cudaMemoryType { cudaMemoryTypeUnregistered = 0, cudaMemoryTypeHost = 1, cudaMemoryTypeDevice = 2 };
enum cudaMemcpyKind { cudaMemcpyDeviceToDevice = 3 };

struct cudaPointerAttributes {
    cudaMemoryType type = cudaMemoryTypeUnregistered;
};
struct cudaDeviceProp {
    char name[256];
    int multiProcessorCount;
};

cudaError_t cudaGetDeviceCount(int* count);
cudaError_t cudaSetDevice(int device);
cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* total);
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device);
cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* memory);
cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream);
const char* cudaGetErrorString(cudaError_t error);
