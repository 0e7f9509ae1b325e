#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/checkpoint/format/checkpoint_name.h"
#include "engine/checkpoint/format/line_record.h"

namespace trainyard {

/// The names in a run's folder `checkpoints`. Opens no checkpoint.
struct CheckpointListing {
    std::filesystem::path folder;
    std::vector<CheckpointName> names; ///< newest step first; of equal steps the present line's first
    std::string latest;                ///< what `latest` holds, without line feed; empty = missing or empty
    std::string best;                  ///< what `best` holds, likewise
    LineRecord record;

    /// Empty when the folder does not exist. Refused, with the reason, when it cannot be read: unknown
    /// content is not the same as none.
    static Result<CheckpointListing> read(const std::filesystem::path& checkpoints);

    bool has(const CheckpointName& name) const;
    /// An unused line number.
    int nextLine() const;
};

} // namespace trainyard
