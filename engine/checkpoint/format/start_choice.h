#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/checkpoint/format/checkpoint_health.h"
#include "engine/checkpoint/format/checkpoint_listing.h"
#include "engine/checkpoint/format/line_switch.h"

namespace trainyard {

/// A checkpoint that a start would have taken if it were complete.
struct DamagedCheckpoint {
    CheckpointName name; ///< in the present line
    CheckpointName folder;
    std::string reason;
};

/// Where a run starts (the rule: engine/checkpoint/FORMAT.md, "Which checkpoint a start takes").
struct StartChoice {
    std::optional<CheckpointName> checkpoint; ///< by its current name; nullopt: from step 0
    std::vector<DamagedCheckpoint> damaged;   ///< newer ones of the present line, newest first
    std::optional<LineSwitch> lineSwitch;     ///< when a person has gone back to another checkpoint

    std::int64_t step() const { return checkpoint ? checkpoint->step.value : 0; }
    /// "the checkpoint of step 1000, the newest complete one (step 1500 is damaged)", "step 0: there is no
    /// checkpoint yet".
    std::string text() const;
};

/// The newest complete checkpoint of the present line, or of the line that a person has chosen. Refused when
/// one that is as new cannot be read, and when there are checkpoints, but none is complete: a run never
/// begins at step 0 by itself while it has checkpoints. `examine` is asked for as many as are needed, newest
/// first.
Result<StartChoice> chooseStart(const CheckpointListing& listing,
                                const std::function<CheckpointHealth(const CheckpointName&)>& examine);

/// The same for a folder `checkpoints`, by examineIndex(). Changes nothing.
Result<StartChoice> chooseStart(const std::filesystem::path& checkpoints);

} // namespace trainyard
