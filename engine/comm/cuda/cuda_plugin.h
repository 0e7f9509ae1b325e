#pragma once

#include <cstddef>
#include <cstdint>

namespace trainyard {

class Transport;

/// What libtrainyard_cuda.so offers. The worker does not link it but opens it where there is a GPU, so that
/// one worker starts on every node. Both come from the same build: kCudaPluginVersion guards against mixed
/// bundles.
struct CudaPlugin {
    int version;

    /// 0 also when the driver is missing or too old.
    int (*deviceCount)();
    /// False when the device does not answer.
    bool (*deviceMemory)(int device, std::uint64_t* freeBytes, std::uint64_t* totalBytes);
    /// A transport that reduces device memory through NCCL and hands everything else to `host`, which it then
    /// owns. Every rank of `host` calls it, each with a device of its own. On failure null, `host` is
    /// gone, and `error` holds the reason.
    Transport* (*makeTransport)(Transport* host, int device, char* error, std::size_t errorSize);
};

constexpr int kCudaPluginVersion = 1;
constexpr const char* kCudaPluginFile = "libtrainyard_cuda.so";
constexpr const char* kCudaPluginEntry = "trainyardCudaPlugin";

/// Type of the library's only symbol.
using CudaPluginEntry = const CudaPlugin* (*)();

} // namespace trainyard
