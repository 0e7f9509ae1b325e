#pragma once

#include <cstdint>
#include <mutex>

#include "tests/device/simulated/memory/block_pool.h"
#include "tests/device/simulated/order/access_history.h"

namespace trainyard {

enum class MemoryAccess : std::uint8_t { Read, Write };

/// The memory of all simulated devices of this process, which no host code may touch, and the pinned memory
/// that they copy from and to. A host access to it ends the process with SIGSEGV, after a line that says what
/// the memory is and which code touched it. Any thread.
class SimulatedMemory {
public:
    static SimulatedMemory& instance();

    enum class Kind : std::uint8_t { Device, Pinned };
    /// Throws c10::OutOfMemoryError.
    void* allocate(Kind kind, const BlockPool::Request& request);
    MemoryBlock free(const void* begin);

    bool isDevices(const void* address) const { return m_deviceMemory.contains(address); }
    bool isPinned(const void* address) const { return m_pinnedMemory.contains(address); }
    /// The block around an address of either kind. Throws c10::Error where there is none.
    MemoryBlock blockAt(std::uintptr_t address) const;
    /// Where the executor finds it.
    void* executors(std::uintptr_t address) const;
    void allow(MemoryRange pinned, MappedMemory::HostAccess access) const;

    /// See AccessHistory. Throws c10::Error on a conflict.
    void note(const WorkStamp& work, const VectorClock& clock, MemoryRange range, MemoryAccess access);

    /// For the line of a fault: does not wait for other threads.
    void describe(const void* address, int file) const;

private:
    SimulatedMemory();
    const BlockPool& poolOf(const void* address) const;

    MappedMemory m_deviceMemory;
    MappedMemory m_pinnedMemory;
    mutable std::mutex m_mutex;
    BlockPool m_devicePool;
    BlockPool m_pinnedPool;
    AccessHistory m_history;
};

} // namespace trainyard
