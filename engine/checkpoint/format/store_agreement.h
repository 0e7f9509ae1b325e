#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "engine/checkpoint/format/checkpoint_health.h"
#include "engine/checkpoint/format/line_switch.h"
#include "engine/checkpoint/format/manifest.h"
#include "engine/checkpoint/format/store_inventory.h"

namespace trainyard {

/// What the folders of several hosts mean together (engine/checkpoint/FORMAT.md, "Hosts without a shared
/// folder"). Pure functions of the inventories of all hosts present, the head's first; every host comes to
/// the same answer.

/// Where the next checkpoint's shards of host `store` go: to itself first, then to the `copies` hosts after
/// it, in a circle.
std::vector<int> storesOfShards(int store, int stores, int copies);

/// Checkpoints of `mine` that are complete but unpublished here and published on another host: every host
/// had its part when that one was published, so they are whole.
std::vector<CheckpointName> unfinishedPublications(const StoreInventory& mine,
                                                   const std::vector<StoreInventory>& stores);

/// The inventories once every host has finished its publications.
std::vector<StoreInventory> afterPublications(std::vector<StoreInventory> stores);

/// The history that holds for all hosts: the head's, or, where the head has none at all, that of the host
/// with the most lines.
LineRecord commonRecord(const std::vector<StoreInventory>& stores);

/// A checkpoint that the head does not know.
struct UnknownCheckpoint {
    std::size_t store = 0; ///< one that has it
    CheckpointName name;
    std::string hash;
};

/// Those of the present line, newer than the head's newest one, on hosts with the common history: older ones
/// the head has removed, others belong to a line that the run has left. The head is to learn of them, so that
/// the names of its folders list all that a start can take.
std::vector<UnknownCheckpoint> unknownToHead(const std::vector<StoreInventory>& stores);

/// Whether the hosts have every shard of a checkpoint among them. The reason names a shard that none has,
/// the hosts that it was written on, and those that are present.
CheckpointHealth healthOver(const std::vector<StoreInventory>& stores, const CheckpointManifest& manifest,
                            const std::string& hash);

/// Names that the checkpoints of another host have on the head, by hash, in the order in which they can be
/// renamed. On a host that missed a change of lines, a checkpoint of its present line that the head does not
/// have gets the number of that line. A name in the way of another is set aside first.
std::vector<LineSwitch::Rename> renamesToFollow(const StoreInventory& mine, const StoreInventory& head);

} // namespace trainyard
