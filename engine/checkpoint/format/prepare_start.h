#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/checkpoint/format/start_choice.h"
#include "engine/records/fence.h"

namespace trainyard {

/// Where a start begins, once the folder says so too.
struct StartPoint {
    std::optional<std::filesystem::path> checkpoint; ///< nullopt: from step 0
    std::int64_t step = 0;
    std::vector<std::string> changes; ///< what was set aside or left, a sentence each, for the run's journal
    std::string text;                 ///< as StartChoice::text()
};

/// Chooses from where the run starts and puts its folder `checkpoints` in order for that: damaged checkpoints
/// that it would have taken are set aside under a name that says so, those of a line that is left get its
/// number, `latest` names the chosen one. Nothing is deleted. May be interrupted anywhere and called again.
/// Where the hosts of the run have folders of their own, only their ranks together can do that: here nothing
/// is changed then, and the answer is the one of this folder alone.
/// Only for the attempt that is about to start, which `fence` belongs to: Refused once a newer one has begun.
/// Errors else as of chooseStart(), and then nothing is changed.
Result<StartPoint> prepareStart(const std::filesystem::path& checkpoints, const Fence& fence);
/// For all hosts: with what the folders of the others add.
Result<StartPoint> prepareStart(const std::filesystem::path& checkpoints, const Fence& fence,
                                const StartView& view);

/// Sets aside the checkpoint in `folder`, whose content turned out to be wrong. Returns its new name.
Result<CheckpointName> setAside(const std::filesystem::path& folder, const Fence& fence);

/// Makes the next start go back to the checkpoint of `step`, or to the beginning when it is 0: writes
/// `latest` and nothing else. Where several lines have one, the present line's is taken, else that of the
/// newest line. Refused when there is none of that step, or it is not complete; where hosts have folders of
/// their own, one that is damaged here may be whole on another: the start decides. Only while the run is
/// stopped.
Status goBackTo(const std::filesystem::path& checkpoints, std::int64_t step);

} // namespace trainyard
