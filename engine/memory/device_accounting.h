#pragma once

#include <memory>

#include <c10/util/ThreadLocalDebugInfo.h>

namespace trainyard {

class MemoryLedger;

/// While it lives, what the calling thread allocates and frees on devices is counted in a ledger, under the
/// category of the MemoryScope that was open then. LibTorch's caching allocators report to whoever profiles
/// the thread; this is the profiler. Sizes are those of the allocator's blocks: a multiple of 512 bytes.
/// Memory that another thread frees stays counted, so whoever computes on a device frees on the thread that
/// allocated.
class DeviceAccounting {
public:
    /// The ledger outlives this object.
    explicit DeviceAccounting(MemoryLedger& ledger);

private:
    c10::DebugInfoGuard m_guard;
};

} // namespace trainyard
