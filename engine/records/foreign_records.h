#pragma once

#include <vector>

#include "engine/records/record.h"

namespace trainyard {

/// Sanitizes records from a host for display: every text goes through harmlessText(), cut at kShownTextBytes,
/// and impossible durations become unknown.
void makeHarmless(std::vector<Record>& records);

} // namespace trainyard
