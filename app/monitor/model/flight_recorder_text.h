#pragma once

#include <QString>

#include "engine/records/flight_ring.h"

namespace trainyard {

/// Describes the last activity of a rank: "In backward of step 1 240. Last collective: all-reduce (number
/// 41, 25.0 MiB, all ranks), not finished yet."
QString flightRecorderText(const FlightSnapshot& ring);

} // namespace trainyard
