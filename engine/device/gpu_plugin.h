#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "engine/base/result.h"
#include "engine/base/units.h"
#include "engine/nn/device.h"

namespace trainyard {

struct CudaPlugin;

/// The CUDA plug-in, opened: beside the worker's ../lib, never linked. It stays open until the process ends.
class GpuPlugin {
public:
    /// Whether a plug-in is installed.
    static bool isInstalled();
    /// Opens the plug-in for one device, named as in CUDA_VISIBLE_DEVICES, which this sets: the process and
    /// all its threads see no other one. Before anything asks ATen about CUDA, and before other threads read
    /// the environment. Failed when the plug-in is missing or of another build, or when CUDA does not start.
    static Result<GpuPlugin> open(const std::string& device);
    /// The same from another file: whatever fills the same table.
    static Result<GpuPlugin> open(const std::string& device, const std::filesystem::path& library);

    const CudaPlugin& functions() const { return *m_plugin; }
    /// Device 0, with the plug-in's kernels.
    Device device() const;
    /// Properties of the device. Failed when it does not respond.
    struct Traits {
        std::string name;
        Bytes memory = 0;
        int processors = 0; ///< streaming multiprocessors
    };
    Result<Traits> traits() const;
    /// For the log: free and total memory.
    std::string text() const;

private:
    explicit GpuPlugin(const CudaPlugin* plugin) : m_plugin(plugin) {}
    const CudaPlugin* m_plugin;
};

} // namespace trainyard
