#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "engine/checkpoint/format/checkpoint_health.h"
#include "engine/checkpoint/format/line_switch.h"
#include "engine/checkpoint/format/manifest.h"
#include "engine/checkpoint/format/start_choice.h"
#include "engine/checkpoint/format/store_inventory.h"

namespace trainyard {

/// What the folders of several hosts mean together (engine/checkpoint/FORMAT.md, "Hosts without a shared
/// folder"). Pure functions of the inventories of all hosts present, the head's first; every host comes to
/// the same answer.

/// Where the next checkpoint's shards of host `store` go: to itself first, then to the `copies` hosts after
/// it, in a circle.
std::vector<int> storesOfShards(int store, int stores, int copies);

/// Number of the host whose record of lines holds for all: the longest one, which begins with the lines of
/// the others; of equal ones the head's, unless its disk is new. Refused when the lines of two hosts
/// contradict each other.
Result<std::size_t> storeOfHistory(const std::vector<StoreInventory>& stores);

/// Hosts that took part in the last start and are not present, or have a new disk, or one that is not
/// mounted. They may have a checkpoint that no other host knows of.
std::vector<std::string> absentHosts(const LineRecord& history, const std::vector<StoreInventory>& stores);

/// A checkpoint of the present line of which only the name is known.
std::optional<UnreadableElsewhere> newestUnreadable(const std::vector<StoreInventory>& stores);
/// What is wrong with the manifest of a checkpoint of the present line; empty: nothing.
std::string wrongManifest(const std::vector<StoreInventory>& stores);

/// A checkpoint that is complete in `.step-*.partial`, and the name that it is to get.
struct Publication {
    CheckpointName prepared;
    CheckpointName name;

    bool operator==(const Publication&) const = default;
};

/// Those of `mine` that another host has published: every host had its part by then, so they are whole.
std::vector<Publication> unfinishedPublications(const StoreInventory& mine,
                                                const std::vector<StoreInventory>& stores);

/// The inventories once every host has finished its publications.
std::vector<StoreInventory> afterPublications(std::vector<StoreInventory> stores);

/// A checkpoint that the head does not know, or of which only the name.
struct UnknownCheckpoint {
    std::size_t store = 0; ///< one that has it
    CheckpointName name;
    std::string hash;
};

/// Those of the present line that are newer than the head's newest one (older ones the head has removed), and
/// those of any line whose manifest is wrong on the head alone. The head is to learn of them, so that its
/// folders list all that a start can take. Requires that all hosts have the same lines, or blank disks.
std::vector<UnknownCheckpoint> unknownToHead(const std::vector<StoreInventory>& stores);

/// Whether all hosts that wrote a checkpoint are there with it: only then is it known that a shard which none
/// has is lost.
bool areAllWritersThere(const std::vector<StoreInventory>& stores, const CheckpointManifest& manifest,
                        const std::string& hash);

/// Whether the hosts have every shard of a checkpoint among them. The reason names a shard that none has,
/// the hosts that it was written on, and those that are present. Incomplete unless areAllWritersThere().
CheckpointHealth healthOver(const std::vector<StoreInventory>& stores, const CheckpointManifest& manifest,
                            const std::string& hash);

/// Names that the checkpoints of another host have on the head, by hash, in the order in which they can be
/// renamed. On a host that missed a change of lines, a checkpoint of its present line that the head does not
/// have, and that is not older than the change, gets the number of that line. A name in the way of another is
/// set aside first.
std::vector<LineSwitch::Rename> renamesToFollow(const StoreInventory& mine, const StoreInventory& head);

} // namespace trainyard
