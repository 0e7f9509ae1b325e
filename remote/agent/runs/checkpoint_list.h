#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/checkpoint/format/checkpoint_name.h"
#include "engine/checkpoint/format/checkpoint_parts.h"
#include "remote/agent/runs/run_folder.h"

namespace trainyard::agent {

/// A checkpoint of a run, as lists show it.
struct ListedCheckpoint {
    CheckpointName name;
    std::string state;       ///< "whole", "damaged", "unreadable", "abandoned" (of a line that was left)
    std::string reason;      ///< why it is not complete, or which line it is of
    std::uint64_t bytes = 0; ///< on disk
    bool verified = false;   ///< every tensor was compared with its hash just now
    bool latest = false;     ///< the file `latest` names it
    bool best = false;       ///< the file `best` names it
    bool next = false;       ///< the next start takes it, as far as this host can tell
    std::optional<CheckpointParts> parts{}; ///< of one whose shards are on the disks of several hosts
};

/// All of a run, newest step first.
struct CheckpointList {
    std::vector<ListedCheckpoint> all;
    /// Other hosts took part in the last start with disks of their own, or may have: this folder is empty.
    bool isSpread = false;
    bool isGoingBack = false; ///< a person has asked for another checkpoint than the newest one
};

/// Verifies the checkpoints of the present line, newest first, until `verification` has passed; reads only
/// the index of the rest. Refused when the folder cannot be read.
Result<CheckpointList> listCheckpoints(const RunFolder& folder, std::chrono::milliseconds verification);

} // namespace trainyard::agent
