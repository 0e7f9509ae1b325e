#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "engine/records/flight_ring.h"
#include "remote/agent/runs/run_folder.h"
#include "remote/agent/runs/run_work.h"

namespace trainyard::agent {

/// The first rank's position: it changes as long as that rank works, even when a full disk keeps its steps
/// out of the journal.
struct Pulse {
    std::int64_t step = 0; ///< under way
    Activity activity = Activity::Starting;
    std::int64_t sinceNs = 0;

    bool operator==(const Pulse&) const = default;
};
/// Returns nullopt before the rank of this attempt has created its ring.
std::optional<Pulse> firstRanksPulse(const RunFolder& folder, std::uint32_t attempt);

/// Finds the rank that did not enter a collective from the rings of this attempt's ranks; empty when no rank
/// waits for another. Ranks of other hosts are visible only on a shared disk.
std::string openCollective(const RunFolder& folder, const RunWork& work, std::uint32_t attempt);

/// Returns why no step has finished for `quiet`, as one sentence that stays the same as long as the cause
/// does; empty while that is normal. `lastStep` is the duration of the last step.
std::string stallText(const RunFolder& folder, const RunWork& work, std::uint32_t attempt,
                      std::chrono::duration<double> quiet, std::chrono::duration<double> lastStep);

} // namespace trainyard::agent
