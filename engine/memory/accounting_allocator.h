#pragma once

#include <c10/core/Allocator.h>
#include <torch/types.h>

#include "engine/memory/block_cache.h"
#include "engine/memory/memory_ledger.h"

namespace trainyard {

/// The memory of every CPU tensor in the process: counted to the byte under the category of the MemoryScope
/// that was open on the allocating thread, and recycled through a block cache. What LibTorch's libraries
/// allocate for themselves (oneDNN's scratch memory) and what the cache holds idle is not counted; it shows
/// in the process's resident set.
class AccountingAllocator final : public c10::Allocator {
public:
    /// Makes it the process's CPU allocator, once; later calls give the same object, which is never
    /// destroyed, because tensors may outlive everything else. Call before the first tensor is made.
    static AccountingAllocator& install();

    MemoryLedger& ledger() { return m_ledger; }
    BlockCache& blocks() { return m_blocks; }

    c10::DataPtr allocate(std::size_t bytes) override;
    c10::DeleterFnPtr raw_deleter() const override;
    void copy_data(void* destination, const void* source, std::size_t bytes) const override;

private:
    AccountingAllocator() = default;
    static void release(void* data);

    MemoryLedger m_ledger;
    BlockCache m_blocks;
};

} // namespace trainyard
