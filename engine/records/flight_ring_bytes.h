#pragma once

#include <string>
#include <string_view>

#include "engine/records/flight_ring.h"

namespace trainyard {

/// readFlightRing() of what was read elsewhere; `name` is what an error calls it.
Result<FlightSnapshot> parseFlightRing(std::string_view bytes, const std::string& name);

} // namespace trainyard
