#include "engine/comm/gpu_plugin.h"

#include <dlfcn.h>
#include <filesystem>

#include <fmt/format.h>

#include "engine/comm/cuda/cuda_plugin.h"

namespace trainyard {

namespace fs = std::filesystem;

namespace {

/// Made by the driver when it is loaded.
constexpr const char* kDriverDevice = "/dev/nvidiactl";

Result<void*> openLibrary()
{
    const fs::path file =
        fs::read_symlink("/proc/self/exe").parent_path().parent_path() / "lib" / kCudaPluginFile;
    if (void* library = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL))
        return library;
    return failed(fmt::format("cannot open {}: {}", file.string(), ::dlerror()),
                  "deploy a bundle that was built with TRAINYARD_WITH_CUDA");
}

} // namespace

Result<std::optional<GpuPlugin>> GpuPlugin::open()
{
    if (!fs::exists(kDriverDevice))
        return std::optional<GpuPlugin>();
    TRAINYARD_TRY(void* const library, openLibrary());
    const auto entry = reinterpret_cast<CudaPluginEntry>(::dlsym(library, kCudaPluginEntry));
    const CudaPlugin* const plugin = entry ? entry() : nullptr;
    if (!plugin || plugin->version != kCudaPluginVersion)
        return failed(fmt::format("{} is not of this build", kCudaPluginFile),
                      "deploy the whole bundle again");
    return std::optional(GpuPlugin(plugin));
}

std::vector<GpuMemory> GpuPlugin::memory() const
{
    std::vector<GpuMemory> devices;
    for (int device = 0; device < m_plugin->deviceCount(); ++device) {
        GpuMemory memory;
        if (m_plugin->deviceMemory(device, &memory.free, &memory.total))
            devices.push_back(memory);
    }
    return devices;
}

} // namespace trainyard
