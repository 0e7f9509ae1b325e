#include "engine/planner/memory/rank_need.h"

#include <numeric>

namespace trainyard {

RankNeed needOf(const MemoryByCategory& bytes)
{
    const Bytes onHost = bytes[static_cast<std::size_t>(MemoryCategory::Host)];
    return {std::accumulate(bytes.begin(), bytes.end(), Bytes{0}) - onHost, onHost};
}

} // namespace trainyard
