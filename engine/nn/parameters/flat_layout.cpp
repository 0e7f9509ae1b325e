#include "engine/nn/parameters/flat_layout.h"

#include <algorithm>

#include "engine/base/check.h"

namespace trainyard {

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
        m_slices.emplace_back(spec, m_sharding.tensor, m_sharding.expert);
        const std::vector<std::int64_t>& shape = m_slices.back().shape();
        if (spec.stackedOnPrevious) {
            Stack& stack = m_stacks.at(m_stacks.size() - 1);
            ++stack.parameterCount;
            stack.shape[0] += shape[0];
        } else {
            m_stacks.push_back(
                {parameter, 1, 0, shape, spec.part, spec.isFrozen, spec.isOfExperts, spec.isTied});
        }
        m_stackOf.push_back(m_stacks.size() - 1);
    }
    m_offsets.resize(specs.size());
    m_bucketOf.resize(specs.size());
}

void FlatLayout::place()
{
    std::vector<FlatBlock> blocks;
    for (const Stack& stack : m_stacks)
        blocks.push_back(
            {elementCount(stack.shape), stack.part, stack.isFrozen, stack.isOfExperts, stack.isTied});
    const FlatPlacement placement = placeFlat(
        blocks, {m_sharding.owner.ranks, m_sharding.sharesExperts() ? m_sharding.expertOwner.ranks : 0,
                 m_sharding.bucketElements, m_sharding.bucketPerPart});
    m_flatCount = placement.count;
    m_ownedCount = placement.ownedCount();
    m_trainedCount = placement.trainedCount;
    m_trainedOwnedCount = placement.trainedOwnedCount();
    m_trainedBuckets = placement.trainedBuckets;
    std::int64_t shardBegin = 0;
    for (const FlatBucket& flat : placement.buckets) {
        m_buckets.push_back({flat.begin,
                             flat.end,
                             blocks[flat.blocks.front()].part,
                             {},
                             m_sharding.ownerOf(flat.isOfExperts),
                             shardBegin,
                             flat.isOfExperts});
        shardBegin += flat.share();
        for (const std::size_t block : flat.blocks) {
            m_stacks[block].offset = placement.offsets[block];
            placeParameters(m_stacks[block]);
        }
    }
}

// Into the last bucket.
void FlatLayout::placeParameters(const Stack& stack)
{
    std::int64_t offset = stack.offset;
    for (std::size_t i = 0; i < stack.parameterCount; ++i) {
        const std::size_t parameter = stack.firstParameter + i;
        m_offsets[parameter] = offset;
        offset += m_slices[parameter].count();
        m_buckets.back().parameters.push_back(parameter);
        m_bucketOf[parameter] = m_buckets.size() - 1;
    }
}

std::vector<OwnedPiece> FlatLayout::piecesOf(Share sharer, Share expertSharer) const
{
    std::vector<OwnedPiece> pieces;
    for (const Bucket& bucket : m_buckets) {
        const Share& share = bucket.isOfExperts ? expertSharer : sharer;
        const IndexRange owned = bucket.owned();
        const IndexRange part = evenShare(owned.size(), share.rank, share.ranks);
        for (const std::size_t parameter : bucket.parameters) {
            const std::int64_t offset = m_offsets[parameter];
            const std::int64_t begin = std::max(owned.begin + part.begin, offset);
            const std::int64_t end = std::min(owned.begin + part.end, offset + m_slices[parameter].count());
            if (begin < end)
                pieces.push_back(
                    {parameter, begin - offset, end - begin, begin, bucket.shardBegin + begin - owned.begin});
        }
    }
    std::ranges::sort(pieces, {}, &OwnedPiece::parameter);
    return pieces;
}

} // namespace trainyard
