#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/checkpoint/format/checkpoint_name.h"
#include "engine/checkpoint/format/line_record.h"

namespace trainyard {

/// What the names in a run's folder `checkpoints` tell. Nothing in the checkpoints themselves is looked at.
struct CheckpointListing {
    std::filesystem::path folder;
    std::vector<CheckpointName> names; ///< newest step first; of equal steps the present line's first
    std::string latest;                ///< what `latest` holds, without line feed; empty = missing or empty
    LineRecord record;

    /// Empty for a folder that is not there. Refused, with the reason, for one that cannot be read: what it
    /// holds is unknown then, which is not the same as nothing.
    static Result<CheckpointListing> read(const std::filesystem::path& checkpoints);

    bool has(const CheckpointName& name) const;
    /// A number that no line has had.
    int nextLine() const;
};

} // namespace trainyard
