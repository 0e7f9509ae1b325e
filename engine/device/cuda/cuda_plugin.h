#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <c10/core/DeviceType.h>

namespace trainyard {

class Compute;
enum class DeviceTraffic : std::uint8_t;
class DeviceTransport;
class UpdateKernels;

/// What tells the ranks of one group of devices that they belong together; made by one of them.
using DeviceGroupId = std::array<std::byte, 128>;

struct CudaDeviceTraits {
    std::array<char, 256> name{}; ///< ends with a zero
    int processors = 0;           ///< streaming multiprocessors
};

/// What libtrainyard_cuda.so offers. The worker does not link it but opens it where there is a GPU, so that
/// one worker starts on every node. Both come from the same build: kCudaPluginVersion guards against mixed
/// bundles. With it ATen can allocate and compute on CUDA devices. All of it is for device 0: the process
/// sees no other one (device_choice.h).
struct CudaPlugin {
    int version;
    c10::DeviceType deviceType; ///< under which ATen knows its devices

    /// 0 also when the driver is missing or too old.
    int (*deviceCount)();
    /// False when the device does not answer.
    bool (*deviceMemory)(int device, std::uint64_t* freeBytes, std::uint64_t* totalBytes);
    /// The same.
    bool (*deviceTraits)(int device, CudaDeviceTraits* traits);

    const Compute* (*compute)();
    const UpdateKernels* (*updates)();

    /// For one rank of a group, which gives it to the others. Throws CommunicationError.
    DeviceGroupId (*makeGroupId)();
    /// NCCL among the group's ranks, which all call it together, connected for this traffic. The caller owns
    /// it. Throws CommunicationError.
    DeviceTransport* (*makeTransport)(const DeviceGroupId& id, int rank, int size, DeviceTraffic traffic);
};

constexpr int kCudaPluginVersion = 6;
constexpr const char* kCudaPluginFile = "libtrainyard_cuda.so";
constexpr const char* kCudaPluginEntry = "trainyardCudaPlugin";

/// Type of the library's only symbol.
using CudaPluginEntry = const CudaPlugin* (*)();

} // namespace trainyard
