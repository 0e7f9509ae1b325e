#pragma once

#include <cstdint>
#include <string>

#include "engine/base/result.h"
#include "engine/base/units.h"
#include "engine/nn/device.h"

namespace trainyard {

struct CudaPlugin;

/// The CUDA plug-in, opened: beside the worker's ../lib, never linked. It stays open until the process ends.
class GpuPlugin {
public:
    /// Whether there is a plug-in to open.
    static bool isInstalled();
    /// Opens the plug-in for one device, named as in CUDA_VISIBLE_DEVICES, which this sets: the process and
    /// all its threads see no other one. Before anything asks ATen about CUDA, and before other threads read
    /// the environment. Failed when the plug-in is missing or of another build, or when CUDA does not start.
    static Result<GpuPlugin> open(const std::string& device);

    const CudaPlugin& functions() const { return *m_plugin; }
    /// Device 0, with the plug-in's kernels.
    Device device() const;
    /// What it is. Failed when it does not answer.
    struct Traits {
        std::string name;
        Bytes memory = 0;
        int processors = 0; ///< streaming multiprocessors
    };
    Result<Traits> traits() const;
    /// For the log: memory that is free and in all.
    std::string text() const;

private:
    explicit GpuPlugin(const CudaPlugin* plugin) : m_plugin(plugin) {}
    const CudaPlugin* m_plugin;
};

} // namespace trainyard
