#include "engine/memory/block_cache.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <sys/mman.h>

#include "engine/base/check.h"
#include "engine/base/shared_arena.h"

namespace trainyard {

namespace {

constexpr std::size_t kSmallest = 64;
constexpr std::size_t kHugePage = std::size_t{2} << 20;

/// Big blocks sit on huge pages where the system has them: fewer page faults when they are new, fewer TLB
/// misses ever after.
void* fromSystem(std::size_t bytes)
{
    const bool big = bytes >= 2 * kHugePage;
    const std::size_t alignment = big ? kHugePage : BlockCache::kAlignment;
    void* block = nullptr;
    if (::posix_memalign(&block, alignment, bytes) != 0)
        return nullptr;
    if (big)
        ::madvise(block, bytes & ~(kHugePage - 1), MADV_HUGEPAGE);
    return block;
}

} // namespace

BlockCache::~BlockCache()
{
    trimLocked();
}

// Class 8 k + j holds sizes up to 2^(k+6) * (1 + j / 8): with s = bytes - 1 the three bits below the leading
// one choose j, as in a floating-point number with a three-bit mantissa.
std::size_t BlockCache::classOf(std::size_t bytes)
{
    if (bytes <= kSmallest)
        return 0;
    const std::size_t s = bytes - 1;
    const auto exponent = static_cast<std::size_t>(std::bit_width(s)) - 1;
    const std::size_t eighth = (s >> (exponent - 3)) & 7;
    return 8 * (exponent - 6) + eighth + 1;
}

std::size_t BlockCache::sizeOfClass(std::size_t index)
{
    return (kSmallest << (index / 8)) / 8 * (8 + index % 8);
}

std::size_t BlockCache::blockSize(std::size_t bytes)
{
    return sizeOfClass(classOf(bytes));
}

void* BlockCache::obtain(std::size_t size) const
{
    return m_arena ? m_arena->allocate(size) : fromSystem(size);
}

void BlockCache::giveBack(void* block, std::size_t size) const
{
    if (m_arena)
        m_arena->release(block, size);
    else
        std::free(block);
}

void* BlockCache::acquire(std::size_t bytes)
{
    const std::size_t index = classOf(bytes);
    const std::size_t size = blockSize(bytes);
    TRAINYARD_CHECK(index < kClasses);
    const std::lock_guard lock(m_mutex);
    m_usedBytes += size;
    m_mostUsedBytes = std::max(m_mostUsedBytes, m_usedBytes);
    auto& idle = m_idle[index];
    if (!idle.empty()) {
        void* block = idle.back();
        idle.pop_back();
        m_idleBytes -= size;
        return block;
    }
    // Idle blocks of sizes that nobody asks for any more must not pile up. An arena holds few, large blocks,
    // which live as long as the run.
    if (!m_arena && m_usedBytes + m_idleBytes > 2 * m_mostUsedBytes)
        trimLocked();
    if (void* block = obtain(size))
        return block;
    // What is idle may be the memory that is missing.
    trimLocked();
    return obtain(size);
}

void BlockCache::release(void* block, std::size_t bytes)
{
    const std::lock_guard lock(m_mutex);
    m_idle[classOf(bytes)].push_back(block);
    m_idleBytes += blockSize(bytes);
    m_usedBytes -= blockSize(bytes);
}

Bytes BlockCache::idleBytes() const
{
    const std::lock_guard lock(m_mutex);
    return m_idleBytes;
}

void BlockCache::trim()
{
    const std::lock_guard lock(m_mutex);
    trimLocked();
}

void BlockCache::trimLocked()
{
    for (std::size_t index = 0; index < kClasses; ++index) {
        for (void* block : m_idle[index])
            giveBack(block, sizeOfClass(index));
        m_idle[index].clear();
    }
    m_idleBytes = 0;
}

} // namespace trainyard
