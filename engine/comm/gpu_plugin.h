#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "engine/base/result.h"
#include "engine/base/units.h"

namespace trainyard {

struct CudaPlugin;

struct GpuMemory {
    Bytes free = 0;
    Bytes total = 0;
};

/// The CUDA plug-in, opened: beside the worker's ../lib, never linked. It stays open until the process ends.
class GpuPlugin {
public:
    /// Nothing on a node without an NVIDIA driver. Failed when there is a GPU but the plug-in is missing or
    /// of another build.
    static Result<std::optional<GpuPlugin>> open();

    const CudaPlugin& functions() const { return *m_plugin; }
    /// Of every device that answers, in CUDA's order.
    std::vector<GpuMemory> memory() const;

private:
    explicit GpuPlugin(const CudaPlugin* plugin) : m_plugin(plugin) {}
    const CudaPlugin* m_plugin;
};

} // namespace trainyard
