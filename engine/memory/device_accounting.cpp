#include "engine/memory/device_accounting.h"

#include <mutex>
#include <unordered_map>

#include <c10/core/Allocator.h>

#include "engine/memory/memory_ledger.h"
#include "engine/memory/memory_scope.h"
#include "engine/memory/tensor_storage.h"

namespace trainyard {

namespace {

// Called under the allocator's lock: allocates nothing on a device.
class Reporter final : public c10::MemoryReportingInfoBase {
public:
    explicit Reporter(MemoryLedger& ledger) : m_ledger(ledger) {}

    bool memoryProfilingEnabled() const override { return true; }

    /// `size` is negative when memory is freed.
    void reportMemoryUsage(void* memory, std::int64_t size, std::size_t, std::size_t,
                           c10::Device device) override
    {
        if (isHostMemory(device))
            return;
        const std::lock_guard lock(m_mutex);
        if (size > 0)
            allocated(memory, static_cast<Bytes>(size));
        else
            freed(memory);
    }

private:
    struct Block {
        MemoryCategory category;
        Bytes bytes;
    };

    void allocated(void* memory, Bytes bytes)
    {
        const Block block{MemoryScope::current(), bytes};
        if (m_blocks.emplace(memory, block).second)
            m_ledger.allocated(block.category, bytes);
    }

    void freed(void* memory)
    {
        const auto block = m_blocks.find(memory);
        if (block == m_blocks.end())
            return; // from before the accounting
        m_ledger.freed(block->second.category, block->second.bytes);
        m_blocks.erase(block);
    }

    MemoryLedger& m_ledger;
    std::mutex m_mutex;
    std::unordered_map<void*, Block> m_blocks;
};

} // namespace

DeviceAccounting::DeviceAccounting(MemoryLedger& ledger)
    : m_guard(c10::DebugInfoKind::PROFILER_STATE, std::make_shared<Reporter>(ledger))
{
}

} // namespace trainyard
