#pragma once

#include <memory>

#include <c10/core/Allocator.h>
#include <torch/types.h>

#include "engine/base/shared_arena.h"
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

    /// From now on large tensors of the categories Weights and Gradients, which the ranks of a host add up
    /// and gather, lie in an arena that other processes can map. The arena lives as long as the process;
    /// null, and nothing changes, where the system gives none. Call at most once, before other threads
    /// allocate.
    const SharedArena* shareFlatBuffers();

    MemoryLedger& ledger() { return m_ledger; }
    BlockCache& blocks() { return m_blocks; }

    c10::DataPtr allocate(std::size_t bytes) override;
    c10::DeleterFnPtr raw_deleter() const override;
    void copy_data(void* destination, const void* source, std::size_t bytes) const override;

private:
    AccountingAllocator() = default;
    static void release(void* data);
    BlockCache& cacheFor(MemoryCategory category, std::size_t bytes);

    MemoryLedger m_ledger;
    BlockCache m_blocks;
    std::unique_ptr<SharedArena> m_arena;
    std::unique_ptr<BlockCache> m_shared; ///< of blocks in the arena
};

} // namespace trainyard
