#include "engine/device/device_session.h"

#include <ATen/Context.h>
#include <c10/core/AutogradState.h>

namespace trainyard {

namespace {

/// float32 means float32: no TF32 in products, no bfloat16 in the sums of bfloat16 products. Attention
/// without cuDNN: its engines, hundreds of MB, are not in the bundle, and nothing else here needs them.
void configureDeviceMath()
{
    at::globalContext().setFloat32MatmulPrecision("highest");
    at::globalContext().setAllowTF32CuDNN(false);
    at::globalContext().setAllowBF16ReductionCuBLAS(false);
    at::globalContext().setAllowFP16ReductionCuBLAS(false);
    at::globalContext().setSDPUseCuDNN(false);
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
