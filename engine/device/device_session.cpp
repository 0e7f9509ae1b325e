#include "engine/device/device_session.h"

#include <filesystem>

#include <dlfcn.h>
#include <link.h>

#include <ATen/Context.h>
#include <c10/core/AutogradState.h>

namespace trainyard {

namespace {

/// Whether cuDNN's engines lie beside the cuDNN that LibTorch has loaded: hundreds of MB, which are not in
/// the bundle, but in a PyTorch of the node.
bool hasCudnnEngines()
{
    void* const library = dlopen("libcudnn.so.9", RTLD_LAZY | RTLD_NOLOAD);
    if (!library)
        return false;
    const link_map* place = nullptr;
    const bool isFound = dlinfo(library, RTLD_DI_LINKMAP, &place) == 0;
    const bool has = isFound && std::filesystem::exists(std::filesystem::path(place->l_name).parent_path() /
                                                        "libcudnn_engines_precompiled.so.9");
    dlclose(library);
    return has;
}

/// float32 means float32: no TF32 in products, no bfloat16 in the sums of bfloat16 products. On Hopper
/// cuDNN's attention takes half the time of LibTorch's own, which it replaces where it can.
void configureDeviceMath()
{
    at::globalContext().setFloat32MatmulPrecision("highest");
    at::globalContext().setAllowTF32CuDNN(false);
    at::globalContext().setAllowBF16ReductionCuBLAS(false);
    at::globalContext().setAllowFP16ReductionCuBLAS(false);
    at::globalContext().setSDPUseCuDNN(hasCudnnEngines());
}

} // namespace

DeviceSession::DeviceSession(const GpuPlugin& plugin, GroupMaker& host, CollectiveWatchdog::Verdict verdict,
                             std::chrono::milliseconds limit)
    : m_device(plugin.device())
    , m_watchdog(limit, std::move(verdict))
    , m_maker(host, plugin.functions(), m_watchdog, m_memory)
    , m_accounting(m_memory)
    , m_timer(m_device.place)
{
    configureDeviceMath();
    c10::AutogradState::get_tls_state().set_multithreading_enabled(false);
}

} // namespace trainyard
