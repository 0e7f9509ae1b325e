#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/records/flight_ring.h"

namespace trainyard {

/// The collective at which the ranks hang, and the ranks missing from it.
struct FlightVerdict {
    FlightEntry collective;   ///< entered by a rank and not reached by all of its group
    std::vector<int> waiting; ///< ranks inside it, ascending
    std::vector<int> missing; ///< ranks that did not enter it, as their rings show; ascending
    std::vector<int> unseen;  ///< ranks of its group without a ring, ascending
    /// "rank 3 did not enter all-reduce 1207 (4 MiB) of step 88: last seen in forward of step 88", or, where
    /// no ring shows who is missing, "rank 0 waits in all-reduce ...; ranks 4-7: not visible from here".
    std::string text;
};

/// Compares the rings of one run's ranks. nullopt when no rank waits for another one. A ring missing from
/// `rings`, as that of a rank on a host without a shared disk, does not blame its rank.
std::optional<FlightVerdict> judgeFlight(const std::vector<FlightSnapshot>& rings);

} // namespace trainyard
