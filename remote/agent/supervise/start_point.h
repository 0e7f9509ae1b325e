#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "engine/base/result.h"
#include "remote/agent/runs/run_folder.h"

namespace trainyard::agent {

/// Returns true where hosts keep the run's checkpoints on disks of their own. Then the ranks choose the
/// start, because this host alone does not see whether a part that is damaged here is whole on another one.
bool isSpreadOverHosts(const RunFolder& folder);

/// Checks whether the run could start now: Refused, with the reason, when it has checkpoints and none of them
/// can be loaded, as far as this host can tell. With `goBackTo` it also makes the next start use the
/// checkpoint of that step. Call it only while the run is not active.
Status checkStart(const RunFolder& folder, std::optional<std::int64_t> goBackTo);

/// Returns where the next attempt would start now: "from the checkpoint of step 40", "from step 0 again,
/// because there is no checkpoint yet".
std::string startingPoint(const RunFolder& folder);

} // namespace trainyard::agent
