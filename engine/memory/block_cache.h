#pragma once

#include <array>
#include <cstddef>
#include <mutex>
#include <vector>

#include "engine/base/units.h"

namespace trainyard {

class SharedArena;

/// Keeps freed blocks for the next allocation of about the same size. A training step asks for the same sizes
/// again and again, and returning big blocks to the system costs a fifth of it in page faults. Sizes are
/// rounded up to eight classes per power of two, so at most an eighth of a block is unused. Where sizes
/// change from step to step, idle blocks of ordinary memory go back to the system before more is held than
/// twice what was ever in use at once. Any thread.
class BlockCache {
public:
    static constexpr std::size_t kAlignment = 64;

    /// Of blocks in the arena, which outlives the cache, or of ordinary memory.
    explicit BlockCache(SharedArena* arena = nullptr) : m_arena(arena) {}
    ~BlockCache();

    /// At least `bytes`, aligned; nullptr when the system has no memory left, even after the cache was
    /// emptied.
    void* acquire(std::size_t bytes);
    /// `bytes` as given to acquire().
    void release(void* block, std::size_t bytes);

    /// Held for later, not in use.
    Bytes idleBytes() const;
    /// Returns idle blocks to the system.
    void trim();

    /// The size that a request is rounded up to.
    static std::size_t blockSize(std::size_t bytes);

private:
    static constexpr std::size_t kClasses = 8 * 48;
    static std::size_t classOf(std::size_t bytes);
    static std::size_t sizeOfClass(std::size_t index);
    void* obtain(std::size_t size) const;
    void giveBack(void* block, std::size_t size) const;
    void trimLocked();

    SharedArena* const m_arena;
    mutable std::mutex m_mutex;
    std::array<std::vector<void*>, kClasses> m_idle;
    Bytes m_idleBytes = 0;
    Bytes m_usedBytes = 0;
    Bytes m_mostUsedBytes = 0;
};

} // namespace trainyard
