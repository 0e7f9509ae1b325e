#include "engine/planner/layout/flat_placement.h"

#include <algorithm>

namespace trainyard {

namespace {

std::int64_t roundedUp(std::int64_t count, std::int64_t multiple)
{
    return (count + multiple - 1) / multiple * multiple;
}

/// Places one block after the other.
class Placer {
public:
    Placer(const std::vector<FlatBlock>& blocks, const FlatSharing& sharing)
        : m_blocks(blocks), m_sharing(sharing)
    {
        m_placement.offsets.resize(blocks.size());
    }

    void place(std::size_t block)
    {
        if (m_placement.buckets.empty() || isCompleteBefore(m_blocks[block]))
            beginBucket(m_blocks[block]);
        m_placement.offsets[block] = m_placement.count;
        m_placement.buckets.back().blocks.push_back(block);
        m_placement.count = roundedUp(m_placement.count + m_blocks[block].elements, kFlatAlignment);
    }

    FlatPlacement take()
    {
        endBucket();
        return std::move(m_placement);
    }

private:
    /// Whether the last bucket is, when this block comes next.
    bool isCompleteBefore(const FlatBlock& next) const
    {
        const FlatBucket& last = m_placement.buckets.back();
        const FlatBlock& before = m_blocks[last.blocks.back()];
        if (before.isFrozen != next.isFrozen || last.isOfExperts != isApart(next) || before.isTied ||
            next.isTied)
            return true;
        if (m_sharing.bucketPerPart)
            return before.part != next.part;
        return m_sharing.bucketElements > 0 && m_placement.count - last.begin >= m_sharing.bucketElements;
    }

    bool isApart(const FlatBlock& block) const { return m_sharing.expertOwners > 0 && block.isOfExperts; }

    void beginBucket(const FlatBlock& first)
    {
        endBucket();
        const int owners = isApart(first) ? m_sharing.expertOwners : m_sharing.owners;
        m_placement.buckets.push_back({m_placement.count, m_placement.count, {}, owners, isApart(first)});
    }

    void endBucket()
    {
        if (m_placement.buckets.empty())
            return;
        FlatBucket& last = m_placement.buckets.back();
        m_placement.count = roundedUp(m_placement.count, kFlatAlignment * last.owners);
        last.end = m_placement.count;
    }

    const std::vector<FlatBlock>& m_blocks;
    const FlatSharing m_sharing;
    FlatPlacement m_placement;
};

FlatPlacement withTrained(FlatPlacement placement, const std::vector<FlatBlock>& blocks)
{
    for (const FlatBucket& bucket : placement.buckets) {
        if (blocks[bucket.blocks.front()].isFrozen)
            break;
        placement.trainedCount = bucket.end;
        ++placement.trainedBuckets;
    }
    return placement;
}

} // namespace

std::int64_t FlatPlacement::shareOf(std::size_t count) const
{
    std::int64_t share = 0;
    for (std::size_t index = 0; index < count; ++index)
        share += buckets[index].share();
    return share;
}

FlatPlacement placeFlat(const std::vector<FlatBlock>& blocks, const FlatSharing& sharing)
{
    Placer placer(blocks, sharing);
    for (const bool frozen : {false, true}) {
        for (std::size_t block = blocks.size(); block > 0; --block) {
            if (blocks[block - 1].isFrozen == frozen)
                placer.place(block - 1);
        }
    }
    return withTrained(placer.take(), blocks);
}

std::vector<std::int64_t> elementsByOwner(const std::vector<FlatBlock>& blocks,
                                          const FlatPlacement& placement, int owners, bool ofExperts)
{
    std::vector<std::int64_t> elements(static_cast<std::size_t>(owners));
    std::vector<std::int64_t> rises(elements.size() + 1); // from this owner on each has so many more
    for (std::size_t index = 0; index < placement.trainedBuckets; ++index) {
        const FlatBucket& bucket = placement.buckets[index];
        if (bucket.isOfExperts != ofExperts)
            continue;
        const std::int64_t share = bucket.share();
        for (const std::size_t block : bucket.blocks) {
            if (blocks[block].elements == 0)
                continue;
            const std::int64_t begin = placement.offsets[block] - bucket.begin;
            const std::int64_t last = begin + blocks[block].elements - 1;
            const auto first = static_cast<std::size_t>(begin / share);
            const auto end = static_cast<std::size_t>(last / share);
            // Those between the first and the last owner have their whole share of it.
            rises[first] += share;
            rises[end + 1] -= share;
            elements[first] -= begin % share;
            elements[end] -= share - 1 - last % share;
        }
    }
    std::int64_t whole = 0;
    for (std::size_t owner = 0; owner < elements.size(); ++owner)
        elements[owner] += whole += rises[owner];
    return elements;
}

} // namespace trainyard
