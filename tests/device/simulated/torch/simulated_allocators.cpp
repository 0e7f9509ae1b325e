#include "tests/device/simulated/torch/simulated_allocators.h"

#include <atomic>
#include <cstring>

#include "tests/device/simulated/host_copies.h"
#include "tests/device/simulated/simulated_device.h"

namespace trainyard {

namespace {

thread_local const char* operatorOfThread = "an allocation outside of operators";

BlockPool::Request requestOf(std::size_t bytes)
{
    const SimulatedDevice& device = SimulatedDevice::current();
    return {bytes, device.number(), device.currentStream(), OperatorName::current()};
}

/// Blocks as big as their room, as a caching allocator counts them.
void report(const MemoryBlock& block, bool allocated)
{
    static std::atomic<std::int64_t> total = 0;
    const auto bytes = static_cast<std::int64_t>(block.room) * (allocated ? 1 : -1);
    const auto now = static_cast<std::size_t>(total += bytes);
    c10::reportMemoryUsageToProfiler(block.begin, bytes, now, now, {kSimulatedType, 0});
}

void freeDevices(void* memory)
{
    report(SimulatedMemory::instance().free(memory), false);
}

void freePinned(void* memory)
{
    auto& owner = SimulatedMemory::instance();
    const auto begin = reinterpret_cast<std::uintptr_t>(memory);
    HostCopies::instance().forget({begin, begin + owner.blockAt(begin).room});
    owner.free(memory);
}

class DeviceAllocator final : public c10::Allocator {
public:
    c10::DataPtr allocate(std::size_t bytes) override
    {
        const c10::Device device(kSimulatedType, 0);
        if (bytes == 0)
            return {nullptr, device};
        void* const memory =
            SimulatedMemory::instance().allocate(SimulatedMemory::Kind::Device, requestOf(bytes));
        report(SimulatedMemory::instance().blockAt(reinterpret_cast<std::uintptr_t>(memory)), true);
        return {memory, memory, &freeDevices, device};
    }
    c10::DeleterFnPtr raw_deleter() const override { return &freeDevices; }
    void copy_data(void* to, const void* from, std::size_t bytes) const override
    {
        SimulatedWork copy("copy_data");
        const void* const source = copy.use(from, bytes, MemoryAccess::Read);
        std::memcpy(copy.use(to, bytes, MemoryAccess::Write), source, bytes);
    }
};

class PinnedAllocator final : public c10::Allocator {
public:
    c10::DataPtr allocate(std::size_t bytes) override
    {
        // Not of one device: other threads may fill it.
        void* const memory = SimulatedMemory::instance().allocate(SimulatedMemory::Kind::Pinned,
                                                                  {bytes, 0, 0, OperatorName::current()});
        return {memory, memory, &freePinned, c10::DeviceType::CPU};
    }
    c10::DeleterFnPtr raw_deleter() const override { return &freePinned; }
    void copy_data(void* to, const void* from, std::size_t bytes) const override
    {
        default_copy_data(to, from, bytes);
    }
};

} // namespace

OperatorName::OperatorName(const char* name) : m_outer(operatorOfThread)
{
    operatorOfThread = name;
}

OperatorName::~OperatorName()
{
    operatorOfThread = m_outer;
}

const char* OperatorName::current()
{
    return operatorOfThread;
}

c10::Allocator& simulatedAllocator()
{
    static auto* const allocator = new DeviceAllocator; // tensors may outlive everything else
    return *allocator;
}

c10::Allocator& simulatedPinnedAllocator()
{
    static auto* const allocator = new PinnedAllocator;
    return *allocator;
}

} // namespace trainyard
