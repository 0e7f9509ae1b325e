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
    std::optional<LineSwitch> lineSwitch;     ///< when a person has gone back, or hosts are absent
    std::vector<std::string> absent;          ///< the hosts without which the new line begins

    std::int64_t step() const { return checkpoint ? checkpoint->step.value : 0; }
    /// "the checkpoint of step 1000, the newest complete one (step 1500 is damaged)", "step 0: there is no
    /// checkpoint yet".
    std::string text() const;
};

/// A checkpoint on another host that the start cannot look at.
struct UnreadableElsewhere {
    Step step;
    std::string reason;
};

/// What a start knows besides the names in its folder.
struct StartView {
    /// Asked for as many as are needed, newest first.
    std::function<CheckpointHealth(const CheckpointName&)> examine;
    std::optional<UnreadableElsewhere> unreadable{}; ///< the newest one of the present line
    std::string wrongElsewhere{};                    ///< of a checkpoint on another host; empty: nothing
    std::vector<std::string> absent{};               ///< took part before: without them a new line begins
    std::optional<std::vector<std::string>> hosts{}; ///< take part now, as in LineRecord; nullopt: unknown
    std::optional<LineRecord> record{};              ///< for a folder on a new disk; nullopt: its own
};

/// The newest complete checkpoint of the present line, or of the line that a person has chosen. Refused when
/// one that is as new cannot be read, and when there are checkpoints, but none is complete: a run never
/// begins at step 0 by itself while it has checkpoints. Unreachable when a part of one that is as new is on
/// hosts that are absent.
Result<StartChoice> chooseStart(const CheckpointListing& listing, const StartView& view);

/// The same for a folder `checkpoints`, by examineIndex(). Changes nothing.
Result<StartChoice> chooseStart(const std::filesystem::path& checkpoints);

} // namespace trainyard
