#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/records/flight_ring.h"

namespace trainyard {

/// Which collective the ranks stand at, and who is missing there.
struct FlightVerdict {
    FlightEntry collective;   ///< entered by a rank and not reached by all of its group
    std::vector<int> waiting; ///< ranks inside it, ascending
    std::vector<int> missing; ///< ranks that did not enter it, ascending
    std::string
        text; ///< "rank 3 did not enter all-reduce 1207 (4 MiB) of step 88: last seen in forward, ..."
};

/// Compares the rings of one run's ranks. Nothing when no rank waits for another one. A ring that could not
/// be read is simply not in `rings`: its rank counts as missing when `worldSize` of the others names it.
std::optional<FlightVerdict> judgeFlight(const std::vector<FlightSnapshot>& rings);

} // namespace trainyard
