#include "tests/device/simulated/simulated_memory.h"

#include <csignal>
#include <cstdio>
#include <execinfo.h>
#include <unistd.h>

#include <c10/util/Exception.h>

namespace trainyard {

namespace {

constexpr std::size_t kAddressSpace = std::size_t{8} << 30; // pages that are never used cost nothing
constexpr std::size_t kDeviceGranularity = 512;

struct sigaction outerHandler;

/// Says what was touched, and lets the fault happen again as it would have without us.
void onFault(int, siginfo_t* info, void*)
{
    const SimulatedMemory& memory = SimulatedMemory::instance();
    if (memory.isDevices(info->si_addr) || memory.isPinned(info->si_addr)) {
        memory.describe(info->si_addr, STDERR_FILENO);
        void* frames[64];
        ::backtrace_symbols_fd(frames, ::backtrace(frames, 64), STDERR_FILENO);
    }
    ::sigaction(SIGSEGV, &outerHandler, nullptr);
}

void reportFaults()
{
    void* frame[1];
    ::backtrace(frame, 1); // loads what the first call needs, while it may
    struct sigaction handler = {};
    handler.sa_sigaction = &onFault;
    handler.sa_flags = SA_SIGINFO;
    ::sigaction(SIGSEGV, &handler, &outerHandler);
}

} // namespace

SimulatedMemory& SimulatedMemory::instance()
{
    static auto* const memory = new SimulatedMemory; // tensors may outlive everything else
    return *memory;
}

SimulatedMemory::SimulatedMemory()
    : m_deviceMemory("simulated device", kAddressSpace, MappedMemory::HostAccess::None)
    , m_pinnedMemory("pinned memory", kAddressSpace, MappedMemory::HostAccess::ReadWrite)
    , m_devicePool(m_deviceMemory, kDeviceGranularity)
    , m_pinnedPool(m_pinnedMemory, kPageBytes)
{
    reportFaults();
}

void* SimulatedMemory::allocate(Kind kind, const BlockPool::Request& request)
{
    const std::lock_guard lock(m_mutex);
    const MemoryBlock* block = (kind == Kind::Device ? m_devicePool : m_pinnedPool).allocate(request);
    TORCH_CHECK_WITH(OutOfMemoryError, block, "the simulated device is out of memory: ", request.bytes,
                     " bytes more");
    if (kind == Kind::Pinned) { // given out again only when the copies to and from it are done
        const auto begin = reinterpret_cast<std::uintptr_t>(block->begin);
        m_history.forget({begin, begin + block->room});
    }
    return block->begin;
}

MemoryBlock SimulatedMemory::free(const void* begin)
{
    const std::lock_guard lock(m_mutex);
    return (isDevices(begin) ? m_devicePool : m_pinnedPool).free(begin);
}

const BlockPool& SimulatedMemory::poolOf(const void* address) const
{
    return isDevices(address) ? m_devicePool : m_pinnedPool;
}

MemoryBlock SimulatedMemory::blockAt(std::uintptr_t address) const
{
    const std::lock_guard lock(m_mutex);
    const auto* pointer = reinterpret_cast<const void*>(address);
    const MemoryBlock* block = poolOf(pointer).find(pointer);
    TORCH_CHECK(block, "the simulated device was given an address that is not its own: ", pointer);
    return *block;
}

void* SimulatedMemory::executors(std::uintptr_t address) const
{
    const auto* pointer = reinterpret_cast<const void*>(address);
    return isDevices(pointer) ? m_deviceMemory.executors(pointer) : m_pinnedMemory.executors(pointer);
}

void SimulatedMemory::allow(MemoryRange pinned, MappedMemory::HostAccess access) const
{
    m_pinnedMemory.allow(reinterpret_cast<const void*>(pinned.begin), pinned.end - pinned.begin, access);
}

void SimulatedMemory::note(const WorkStamp& work, const VectorClock& clock, MemoryRange range,
                           MemoryAccess access)
{
    const std::lock_guard lock(m_mutex);
    const auto conflict = access == MemoryAccess::Read ? m_history.read(range, work, clock)
                                                       : m_history.write(range, work, clock);
    TORCH_CHECK(!conflict, work.name, " on stream ", work.stream,
                access == MemoryAccess::Read ? " reads" : " writes", " memory that ", conflict->earlier.name,
                " on stream ", conflict->earlier.stream, conflict->wasWrite ? " writes" : " reads",
                ", and nothing orders one behind the other");
}

void SimulatedMemory::describe(const void* address, int file) const
{
    const std::unique_lock lock(m_mutex, std::try_to_lock);
    const MemoryBlock* block = lock.owns_lock() ? poolOf(address).find(address) : nullptr;
    ::dprintf(file, "host code touched %s at %p: byte %td of %zu, made by %s%s\n",
              isDevices(address) ? "memory of the simulated device"
                                 : "pinned memory before it waited for the copy",
              address, block ? static_cast<const std::byte*>(address) - block->begin : std::ptrdiff_t{0},
              block ? block->bytes : std::size_t{0}, block ? block->madeBy : "(unknown)",
              block && block->isFree ? ", freed" : "");
}

} // namespace trainyard
