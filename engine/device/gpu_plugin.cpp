#include "engine/device/gpu_plugin.h"

#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>

#include <fmt/format.h>

#include "engine/base/units.h"
#include "engine/device/cuda/cuda_plugin.h"

namespace trainyard {

namespace fs = std::filesystem;

namespace {

/// The running file may also be the loader in the bundle's system/ (remote/agent/programs): it is as deep as
/// bin/.
fs::path installedLibrary()
{
    return fs::read_symlink("/proc/self/exe").parent_path().parent_path() / "lib" / kCudaPluginFile;
}

/// Each group has a stream of its own, and a device that has fewer queues than streams lets one wait for
/// another. NCCL connects the ranks of a group when it is made, and takes its memory then, instead of in the
/// first collective of each kind.
void prepareEnvironment(const std::string& device)
{
    ::setenv("CUDA_VISIBLE_DEVICES", device.c_str(), 1);
    ::setenv("CUDA_DEVICE_MAX_CONNECTIONS", "32", 0);
    ::setenv("NCCL_RUNTIME_CONNECT", "0", 0);
}

} // namespace

bool GpuPlugin::isInstalled()
{
    return fs::exists(installedLibrary());
}

Result<GpuPlugin> GpuPlugin::open(const std::string& device)
{
    return open(device, installedLibrary());
}

Result<GpuPlugin> GpuPlugin::open(const std::string& device, const fs::path& library)
{
    prepareEnvironment(device);
    void* const opened = ::dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!opened)
        return failed(fmt::format("cannot open {}: {}", library.string(), ::dlerror()),
                      "deploy a bundle that was built with TRAINYARD_WITH_CUDA");
    const auto entry = reinterpret_cast<CudaPluginEntry>(::dlsym(opened, kCudaPluginEntry));
    const CudaPlugin* const plugin = entry ? entry() : nullptr;
    if (!plugin || plugin->version != kCudaPluginVersion)
        return failed(fmt::format("{} is from another build", library.filename().string()),
                      "deploy the whole bundle again");
    if (plugin->deviceCount() != 1)
        return failed(
            fmt::format("cannot initialize CUDA on device {}", device),
            "update the NVIDIA driver (CUDA 13 needs version 580 or later), or set launch.device to "
            "\"cpu\"");
    return GpuPlugin(plugin);
}

Device GpuPlugin::device() const
{
    return {c10::Device(m_plugin->deviceType, 0), m_plugin->compute(), m_plugin->updates()};
}

Result<GpuPlugin::Traits> GpuPlugin::traits() const
{
    CudaDeviceTraits found;
    Traits traits;
    Bytes free = 0;
    if (!m_plugin->deviceTraits(0, &found) || !m_plugin->deviceMemory(0, &free, &traits.memory))
        return failed("the CUDA device is not responding");
    traits.name = found.name.data();
    traits.processors = found.processors;
    return traits;
}

std::string GpuPlugin::text() const
{
    Bytes free = 0;
    Bytes total = 0;
    if (!m_plugin->deviceMemory(0, &free, &total))
        return "the CUDA device is not responding";
    return fmt::format("training on CUDA device {}, {} free of {}", std::getenv("CUDA_VISIBLE_DEVICES"),
                       formatBytes(free), formatBytes(total));
}

} // namespace trainyard
