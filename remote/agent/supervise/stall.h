#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "engine/records/flight_ring.h"
#include "remote/agent/runs/run_folder.h"
#include "remote/agent/runs/run_work.h"

namespace trainyard::agent {

/// What the first rank is at: it changes as long as that rank works, also where a full disk keeps its steps
/// out of the journal.
struct Pulse {
    std::int64_t step = 0; ///< under way
    Activity activity = Activity::Starting;
    std::int64_t sinceNs = 0;

    bool operator==(const Pulse&) const = default;
};
/// Nothing before the rank of this attempt has made its ring.
std::optional<Pulse> firstRanksPulse(const RunFolder& folder, std::uint32_t attempt);

/// Which rank did not enter which collective, read off the rings of this attempt's ranks; empty when none
/// waits for another one. Ranks of other hosts are not seen where the disk is not shared.
std::string openCollective(const RunFolder& folder, const RunWork& work, std::uint32_t attempt);

/// Why no step has been finished for `quiet`, as one sentence that stays the same as long as the cause does;
/// empty while that is not strange yet. `lastStep` is how long the last step took.
std::string stallText(const RunFolder& folder, const RunWork& work, std::uint32_t attempt,
                      std::chrono::duration<double> quiet, std::chrono::duration<double> lastStep);

} // namespace trainyard::agent
