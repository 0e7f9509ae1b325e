#pragma once

#include <optional>
#include <vector>

#include "engine/checkpoint/format/checkpoint_listing.h"

namespace trainyard {

/// What going back to a checkpoint changes: a new line, and the names by which folders say what they are.
struct LineSwitch {
    struct Rename {
        CheckpointName from;
        CheckpointName to;
    };
    CheckpointLine line;         ///< the new one
    int left = 0;                ///< number of the line that was present
    std::vector<Rename> renames; ///< in this order; completed ones are omitted when asked again
};

/// Going back from the present line to `target`, a checkpoint of any line that is not set aside, or to step
/// 0. Checkpoints of the present line that do not lead to `target` become those of a line that was left, and
/// those of other lines that do lead to it come back. A pure function.
LineSwitch switchTo(const CheckpointListing& listing, const CheckpointName& target);

/// The switch that a person has asked for by writing the name of an older checkpoint, or of one of another
/// line, into `latest`. nullopt when there is none.
std::optional<LineSwitch> switchAskedFor(const CheckpointListing& listing);

/// The names after the switch, newest first, each with the present one.
std::vector<LineSwitch::Rename> namesAfter(const CheckpointListing& listing,
                                           const std::optional<LineSwitch>& lineSwitch);

} // namespace trainyard
