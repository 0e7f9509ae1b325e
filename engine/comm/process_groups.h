#pragma once

#include <memory>
#include <vector>

#include "engine/comm/holders.h"
#include "engine/comm/process_group.h"
#include "engine/planner/layout/rank_grid.h"

namespace trainyard {

class GroupMaker;

/// One direction between two neighbouring pipeline stages. The sending rank is rank 0 of the group.
class StageLink {
public:
    explicit StageLink(std::unique_ptr<ProcessGroup> group) : m_group(std::move(group)) {}
    void send(std::span<const std::byte> bytes) { m_group->send(bytes, Rank{1}); }
    void receive(std::span<std::byte> bytes) { m_group->receive(bytes, Rank{0}); }

private:
    std::unique_ptr<ProcessGroup> m_group;
};

/// The links of one rank, in the order in which it made them, and so closed in the opposite one: to close a
/// link may wait for the rank at its other end, which must not have another one before it.
class OwnedLinks {
public:
    OwnedLinks() = default;
    ~OwnedLinks() { clear(); }
    OwnedLinks(OwnedLinks&&) = default;
    OwnedLinks& operator=(OwnedLinks&& other);

    StageLink* add(std::unique_ptr<StageLink> link);

private:
    void clear();

    std::vector<std::unique_ptr<StageLink>> m_links;
};

/// The stages form a ring (interleaved schedules go from the last to the first one). All are null when there
/// is one stage.
struct StageLinks {
    StageLink* activationsIn = nullptr;  ///< from the stage before
    StageLink* activationsOut = nullptr; ///< to the stage after
    StageLink* gradientsIn = nullptr;    ///< from the stage after
    StageLink* gradientsOut = nullptr;   ///< to the stage before
    OwnedLinks owned;                    ///< all of them
};

/// Those among the ranks that hold the same parameters that share one copy of the states, and those that own
/// the same part of the copies (layout.shard). Null where there is one copy.
struct ShardGroups {
    std::unique_ptr<ProcessGroup> owners;
    std::unique_ptr<ProcessGroup> copies;
};

/// The groups of one rank in a layout, passed to the code that communicates. Never null unless stated.
struct ProcessGroups {
    GridCoord coordinates;
    ProcessGroup* world = nullptr;          ///< all ranks; owned by whoever made it
    std::unique_ptr<ProcessGroup> data;     ///< the same weights, but for shared experts: other
                                            ///< samples, or other tokens of the same
    std::unique_ptr<ProcessGroup> context;  ///< of them those with other tokens of the same samples
    std::unique_ptr<ProcessGroup> expert;   ///< of them those that share the experts of each layer
    /// Of `data` those with the same experts, which reduce these; null where all have them.
    std::unique_ptr<ProcessGroup> expertCopies;
    ShardGroups shards;                     ///< of `data`
    ShardGroups expertShards;               ///< of `expertCopies`
    std::unique_ptr<ProcessGroup> tensor;   ///< other slices of the same stage, the same samples
    std::unique_ptr<ProcessGroup> pipeline; ///< the other stages, the same samples
    /// First and last stage, which both hold the word embeddings of a tied head; null on the stages between
    /// them and where there is one stage.
    std::unique_ptr<ProcessGroup> embeddings;
    StageLinks links;

    /// With or without ZeRO.
    Holders holders(bool zero) const;
};

/// Ways between some ranks for messages of another thread than the training thread: blocks of bytes, and the
/// receipts for them. One thread at a time uses them.
struct MessageLinks {
    std::unique_ptr<ProcessGroup> blocks;
    std::unique_ptr<ProcessGroup> receipts;
};

/// The members call it, and nobody else. `members`: ascending.
MessageLinks makeMessageLinks(GroupMaker& maker, const std::vector<Rank>& members);

/// All ranks call it with the same grid, over as many ranks as there are.
ProcessGroups makeProcessGroups(GroupMaker& maker, ProcessGroup& world, const RankGrid& grid);

} // namespace trainyard
