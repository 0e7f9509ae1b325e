#include "datasets/tokenizer/chunk_cache.h"

#include <algorithm>

#include "engine/base/check.h"

namespace trainyard {

ChunkCache::Entry::Entry(const ChunkKey& key, std::span<const std::int32_t> ids)
    : m_low(key.low), m_highAndCount(key.high | std::uint64_t(ids.size()) << (64 - kCountBits))
{
    TRAINYARD_CHECK(ids.size() <= kMaxIds);
    std::copy(ids.begin(), ids.end(), m_ids.begin());
}

void ChunkCache::Set::insert(const Entry& entry)
{
    ways[1] = ways[0];
    ways[0] = entry;
}

} // namespace trainyard
