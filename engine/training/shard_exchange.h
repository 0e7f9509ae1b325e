#pragma once

#include <filesystem>
#include <vector>

#include "engine/base/result.h"
#include "engine/checkpoint/format/shard_transfers.h"

namespace trainyard {

struct MessageLinks;

/// This host's side of transfers between the folders of several hosts.
struct ShardFolders {
    std::filesystem::path source; ///< has the shards that this host sends
    std::filesystem::path target; ///< exists; gets what this host receives, at the same offsets
    bool syncs = true;            ///< what was received survives a power cut
};

struct ExchangeOutcome {
    Status received;               ///< everything was written here
    std::vector<LostSlice> unread; ///< what this host should have sent and could not read

    /// Also an error where something could not be read.
    Status status() const;
};

/// Carries out all transfers from and to host `me`, which is its rank in the links; one rank of each host
/// calls it with the same transfers. Any thread, also while the training thread makes collectives: a few MiB
/// are under way to each host, and nobody waits inside MPI. Bytes that cannot be read or written go on
/// without meaning, so that no other host waits: the ranks have to agree on the result.
ExchangeOutcome exchangeShards(const MessageLinks& links, int me, const std::vector<ShardTransfer>& transfers,
                               const ShardFolders& folders);

} // namespace trainyard
