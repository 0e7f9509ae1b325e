#include "engine/nn/flat_layout.h"

#include <algorithm>

#include "engine/base/check.h"

namespace trainyard {

namespace {

std::int64_t roundedUp(std::int64_t count, std::int64_t multiple)
{
    return (count + multiple - 1) / multiple * multiple;
}

} // namespace

FlatLayout::FlatLayout(const std::vector<ParameterSpec>& specs, const Sharding& sharding)
    : m_sharding(sharding)
{
    stackUp(specs);
    place();
}

void FlatLayout::stackUp(const std::vector<ParameterSpec>& specs)
{
    for (const ParameterSpec& spec : specs) {
        const std::size_t parameter = m_slices.size();
        m_slices.emplace_back(spec, m_sharding.tensorRank, m_sharding.tensorRanks);
        const std::vector<std::int64_t>& shape = m_slices.back().shape();
        if (spec.stackedOnPrevious) {
            Stack& stack = m_stacks.at(m_stacks.size() - 1);
            ++stack.parameterCount;
            stack.shape[0] += shape[0];
        } else {
            m_stacks.push_back({parameter, 1, 0, shape, spec.part});
        }
        m_stackOf.push_back(m_stacks.size() - 1);
    }
    m_offsets.resize(specs.size());
    m_bucketOf.resize(specs.size());
}

// Whether the last bucket is complete when this stack comes next.
bool FlatLayout::endsBefore(const Stack& next) const
{
    if (m_buckets.empty())
        return false;
    const Bucket& last = m_buckets.back();
    if (m_sharding.bucketPerPart)
        return last.part != next.part;
    return m_sharding.bucketElements > 0 && m_flatCount - last.begin >= m_sharding.bucketElements;
}

void FlatLayout::place()
{
    const std::int64_t bucketAlignment = kAlignment * m_sharding.ownerRanks;
    for (auto stack = m_stacks.rbegin(); stack != m_stacks.rend(); ++stack) {
        const bool full = endsBefore(*stack);
        if (m_buckets.empty() || full) {
            m_flatCount = roundedUp(m_flatCount, bucketAlignment);
            if (full)
                m_buckets.back().end = m_flatCount;
            m_buckets.push_back({m_flatCount, m_flatCount, stack->part, {}});
        }
        stack->offset = m_flatCount;
        for (std::size_t i = 0; i < stack->parameterCount; ++i) {
            const std::size_t parameter = stack->firstParameter + i;
            m_offsets[parameter] = m_flatCount;
            m_flatCount += m_slices[parameter].count();
            m_buckets.back().parameters.push_back(parameter);
            m_bucketOf[parameter] = m_buckets.size() - 1;
        }
        m_flatCount = roundedUp(m_flatCount, kAlignment);
    }
    m_flatCount = roundedUp(m_flatCount, bucketAlignment);
    if (!m_buckets.empty())
        m_buckets.back().end = m_flatCount;
}

std::vector<OwnedPiece> FlatLayout::piecesOf(int owner, int owners) const
{
    std::vector<OwnedPiece> pieces;
    std::int64_t shardBegin = 0;
    for (const Bucket& bucket : m_buckets) {
        const IndexRange owned = evenShare(bucket.size(), owner, owners);
        for (const std::size_t parameter : bucket.parameters) {
            const std::int64_t offset = m_offsets[parameter] - bucket.begin;
            const std::int64_t begin = std::max(owned.begin, offset);
            const std::int64_t end = std::min(owned.end, offset + m_slices[parameter].count());
            if (begin < end)
                pieces.push_back({parameter, begin - offset, end - begin, bucket.begin + begin,
                                  shardBegin + begin - owned.begin});
        }
        shardBegin += owned.size();
    }
    std::ranges::sort(pieces, {}, &OwnedPiece::parameter);
    return pieces;
}

} // namespace trainyard
