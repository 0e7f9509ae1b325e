#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/checkpoint/format/checkpoint_name.h"
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
    bool next = false;       ///< the next start takes it
};

/// Returns all checkpoints of a run, newest step first. Verifies those of the present line, newest first,
/// until `verification` has passed; reads only the index of the rest. Refused when the folder cannot be read.
Result<std::vector<ListedCheckpoint>> listCheckpoints(const RunFolder& folder,
                                                      std::chrono::milliseconds verification);

} // namespace trainyard::agent
