#pragma once

#include <string>
#include <string_view>

#include "engine/records/flight_ring.h"

namespace trainyard {

/// readFlightRing() for bytes that the caller has read; errors call them `name`.
Result<FlightSnapshot> parseFlightRing(std::string_view bytes, const std::string& name);

} // namespace trainyard
