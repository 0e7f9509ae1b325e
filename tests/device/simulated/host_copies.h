#pragma once

#include <cstdint>
#include <mutex>
#include <vector>

#include "tests/device/simulated/order/access_history.h"
#include "tests/device/simulated/simulated_memory.h"

namespace trainyard {

/// Copies between devices and pinned memory that the host has not waited for yet. Meanwhile the host may not
/// look at whole pages that a copy writes, nor change those that it reads, or it is stopped there and then
/// (SimulatedMemory); what lies on a page with other things is compared when the host waits. Any thread.
class HostCopies {
public:
    static HostCopies& instance();

    /// `work` of the device of that number.
    void begin(std::size_t device, const WorkStamp& work, MemoryRange pinned, MemoryAccess access);
    /// The host has waited for all work of the device behind `clock`. Throws c10::Error when memory that a
    /// copy read was changed before.
    void finish(std::size_t device, const VectorClock& clock);
    /// The memory is given back, which an allocator of pinned memory defers until its copies are done.
    void forget(MemoryRange pinned);
    void forgetAll(std::size_t device);

private:
    struct Copy {
        std::size_t device = 0;
        WorkStamp work;
        MemoryRange pinned;
        MemoryAccess access = MemoryAccess::Read;
        std::uint64_t hash = 0; // of what a copy reads
    };

    /// Takes the copies of which the predicate is true out, and lets the host use their memory again.
    template <typename Predicate>
    std::vector<Copy> takeWhere(Predicate predicate);

    std::mutex m_mutex;
    std::vector<Copy> m_copies;
};

} // namespace trainyard
