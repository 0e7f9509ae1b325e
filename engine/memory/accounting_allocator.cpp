#include "engine/memory/accounting_allocator.h"

#include <cstring>

#include <unistd.h>

#include "engine/memory/memory_scope.h"

namespace trainyard {

namespace {

constexpr std::size_t kMinSharedBytes = std::size_t{1} << 20; ///< the arena deals in pages of 2 MiB

/// Lies directly before the data and is as long as their alignment.
struct alignas(BlockCache::kAlignment) BlockHead {
    AccountingAllocator* owner;
    BlockCache* cache;
    std::size_t bytes; ///< as asked for, without this head
    MemoryCategory category;
};
static_assert(sizeof(BlockHead) == BlockCache::kAlignment);

BlockHead* headOf(void* data)
{
    return static_cast<BlockHead*>(data) - 1;
}

} // namespace

AccountingAllocator& AccountingAllocator::install()
{
    // Never destroyed: tensors in static objects are freed after main().
    static AccountingAllocator* const allocator = [] {
        auto* made = new AccountingAllocator;
        c10::SetAllocator(c10::DeviceType::CPU, made, 1);
        return made;
    }();
    return *allocator;
}

const SharedArena* AccountingAllocator::shareFlatBuffers()
{
    const auto machine = static_cast<std::size_t>(::sysconf(_SC_PHYS_PAGES)) *
                         static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    m_arena = SharedArena::create(2 * machine); // addresses, not memory
    if (m_arena)
        m_shared = std::make_unique<BlockCache>(m_arena.get());
    return m_arena.get();
}

BlockCache& AccountingAllocator::cacheFor(MemoryCategory category, std::size_t bytes)
{
    const bool isFlat = category == MemoryCategory::Weights || category == MemoryCategory::Gradients;
    // Collectives of the same host read weights and gradients where they are, so those go to shared memory;
    // everything else stays private to the process.
    return m_shared && isFlat && bytes >= kMinSharedBytes ? *m_shared : m_blocks;
}

c10::DataPtr AccountingAllocator::allocate(std::size_t bytes)
{
    const c10::Device cpu(c10::DeviceType::CPU);
    if (bytes == 0)
        return {nullptr, nullptr, &release, cpu};
    const MemoryCategory category = MemoryScope::current();
    BlockCache& cache = cacheFor(category, bytes);
    void* block = cache.acquire(bytes + sizeof(BlockHead));
    TORCH_CHECK_WITH(OutOfMemoryError, block != nullptr, "no memory left for a tensor of ",
                     formatBytes(bytes));
    auto* head = new (block) BlockHead{this, &cache, bytes, category};
    m_ledger.allocated(category, bytes);
    void* data = head + 1;
    return {data, data, &release, cpu};
}

void AccountingAllocator::release(void* data)
{
    if (!data)
        return;
    BlockHead* head = headOf(data);
    AccountingAllocator& owner = *head->owner;
    owner.m_ledger.freed(head->category, head->bytes);
    head->cache->release(head, head->bytes + sizeof(BlockHead));
}

c10::DeleterFnPtr AccountingAllocator::raw_deleter() const
{
    return &release;
}

void AccountingAllocator::copy_data(void* destination, const void* source, std::size_t bytes) const
{
    std::memcpy(destination, source, bytes);
}

} // namespace trainyard
