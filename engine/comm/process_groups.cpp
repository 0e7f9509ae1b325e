#include "engine/comm/process_groups.h"

#include <algorithm>

#include "engine/comm/group_maker.h"

namespace trainyard {

namespace {

/// What a group is for; with its lowest rank it makes a number that no other group of the run has.
enum class Purpose : std::uint32_t {
    World,
    Data,
    Tensor,
    Pipeline,
    Embeddings,
    Activations,
    Gradients,
    Context,
    Blocks,
    Receipts,
    Expert,
    ExpertCopies,
    Shard,
    ShardCopies,
    ExpertShard,
    ExpertShardCopies
};

DeviceTraffic trafficOf(Purpose purpose)
{
    switch (purpose) {
    case Purpose::Activations:
    case Purpose::Gradients:
        return DeviceTraffic::Messages;
    case Purpose::Context:
        return DeviceTraffic::Ring;
    case Purpose::Expert:
        return DeviceTraffic::Exchange;
    default:
        return DeviceTraffic::Collectives;
    }
}

GroupDescription describe(Purpose purpose, std::vector<Rank> members)
{
    // Links are told apart by their sender, other groups by any member: none is in two groups of a purpose.
    const auto number =
        (static_cast<std::uint32_t>(purpose) << 24) | static_cast<std::uint32_t>(members[0].value);
    return {.number = number, .members = std::move(members), .traffic = trafficOf(purpose)};
}

/// The two directions of one link go from `from` to `to`, activations that way and gradients back.
std::unique_ptr<StageLink> makeLink(GroupMaker& maker, Purpose purpose, Rank from, Rank to)
{
    return std::make_unique<StageLink>(maker.make(describe(purpose, {from, to})));
}

// Every rank makes its links in ascending order of the link's first stage, so that of two ranks that share a
// link neither waits for a third one that waits for it.
StageLinks makeLinks(GroupMaker& maker, const std::vector<Rank>& stages)
{
    StageLinks links;
    const std::size_t count = stages.size();
    for (std::size_t stage = 0; stage < count && count > 1; ++stage) {
        const Rank from = stages[stage];
        const Rank to = stages[(stage + 1) % count];
        if (from == maker.rank()) {
            links.activationsOut = links.owned.add(makeLink(maker, Purpose::Activations, from, to));
            links.gradientsIn = links.owned.add(makeLink(maker, Purpose::Gradients, to, from));
        } else if (to == maker.rank()) {
            links.activationsIn = links.owned.add(makeLink(maker, Purpose::Activations, from, to));
            links.gradientsOut = links.owned.add(makeLink(maker, Purpose::Gradients, to, from));
        }
    }
    return links;
}

/// Owners and copies among the ranks that hold the same parameters, or the same experts.
ShardGroups makeShards(GroupMaker& maker, const RankGrid& grid, bool ofExperts)
{
    const std::vector<std::vector<Rank>> shards = grid.shards(maker.rank(), ofExperts);
    if (shards.size() == 1)
        return {};
    const auto place = [&](const std::vector<Rank>& shard) { return std::ranges::find(shard, maker.rank()); };
    const auto mine =
        std::ranges::find_if(shards, [&](const auto& shard) { return place(shard) != shard.end(); });
    std::vector<Rank> copies;
    for (const std::vector<Rank>& shard : shards)
        copies.push_back(shard.at(static_cast<std::size_t>(place(*mine) - mine->begin())));
    return {maker.make(describe(ofExperts ? Purpose::ExpertShard : Purpose::Shard, *mine)),
            maker.make(describe(ofExperts ? Purpose::ExpertShardCopies : Purpose::ShardCopies, copies))};
}

HolderGroup holderGroup(ProcessGroup& all, const ShardGroups& shards, bool zero)
{
    if (!zero)
        return {nullptr, &all};
    return shards.owners ? HolderGroup(shards.owners.get(), shards.copies.get()) : HolderGroup(&all, nullptr);
}

} // namespace

Holders ProcessGroups::holders(bool zero) const
{
    const HolderGroup others = holderGroup(*data, shards, zero);
    return expertCopies ? Holders(others, holderGroup(*expertCopies, expertShards, zero)) : Holders(others);
}

OwnedLinks& OwnedLinks::operator=(OwnedLinks&& other)
{
    clear();
    m_links = std::move(other.m_links);
    return *this;
}

StageLink* OwnedLinks::add(std::unique_ptr<StageLink> link)
{
    return m_links.emplace_back(std::move(link)).get();
}

void OwnedLinks::clear()
{
    while (!m_links.empty())
        m_links.pop_back();
}

MessageLinks makeMessageLinks(GroupMaker& maker, const std::vector<Rank>& members)
{
    const auto make = [&](Purpose purpose) {
        GroupDescription description = describe(purpose, members);
        description.isOfTraining = false;
        return maker.make(description);
    };
    MessageLinks links;
    links.blocks = make(Purpose::Blocks);
    links.receipts = make(Purpose::Receipts);
    return links;
}

ProcessGroups makeProcessGroups(GroupMaker& maker, ProcessGroup& world, const RankGrid& grid)
{
    TRAINYARD_CHECK(world.size() == grid.worldSize());
    const Rank me = maker.rank();
    const std::vector<Rank> stages = grid.group(me, Axis::Pipeline);
    ProcessGroups groups;
    groups.coordinates = grid.coordOf(me);
    groups.world = &world;
    groups.data = maker.make(describe(Purpose::Data, grid.group(me, {Axis::Data, Axis::Context})));
    groups.context = maker.make(describe(Purpose::Context, grid.group(me, Axis::Context)));
    groups.expert = maker.make(describe(Purpose::Expert, grid.group(me, Axis::Expert)));
    if (groups.expert->size().value > 1)
        groups.expertCopies =
            maker.make(describe(Purpose::ExpertCopies, grid.group(me, {Axis::ExpertCopies, Axis::Context})));
    groups.shards = makeShards(maker, grid, /*ofExperts=*/false);
    if (groups.expertCopies)
        groups.expertShards = makeShards(maker, grid, /*ofExperts=*/true);
    groups.tensor = maker.make(describe(Purpose::Tensor, grid.group(me, Axis::Tensor)));
    groups.pipeline = maker.make(describe(Purpose::Pipeline, stages));
    const std::vector<Rank> ends = grid.embeddingGroup(me);
    if (ends.size() > 1 && std::ranges::find(ends, me) != ends.end())
        groups.embeddings = maker.make(describe(Purpose::Embeddings, ends));
    groups.links = makeLinks(maker, stages);
    return groups;
}

} // namespace trainyard
