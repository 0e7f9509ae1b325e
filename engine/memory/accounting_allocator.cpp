#include "engine/memory/accounting_allocator.h"

#include <cstring>

#include "engine/memory/memory_scope.h"

namespace trainyard {

namespace {

/// Lies directly before the data and is as long as their alignment.
struct alignas(BlockCache::kAlignment) BlockHead {
    AccountingAllocator* owner;
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
    static AccountingAllocator* const allocator = [] {
        auto* made = new AccountingAllocator;
        c10::SetAllocator(c10::DeviceType::CPU, made, 1);
        return made;
    }();
    return *allocator;
}

c10::DataPtr AccountingAllocator::allocate(std::size_t bytes)
{
    const c10::Device cpu(c10::DeviceType::CPU);
    if (bytes == 0)
        return {nullptr, nullptr, &release, cpu};
    void* block = m_blocks.acquire(bytes + sizeof(BlockHead));
    TORCH_CHECK_WITH(OutOfMemoryError, block != nullptr, "no memory left for a tensor of ",
                     formatBytes(bytes));
    auto* head = new (block) BlockHead{this, bytes, MemoryScope::current()};
    m_ledger.allocated(head->category, bytes);
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
    owner.m_blocks.release(head, head->bytes + sizeof(BlockHead));
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
