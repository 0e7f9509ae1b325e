#pragma once

#include <vector>

#include "engine/records/record.h"

namespace trainyard {

/// Sanitizes records from a host for display: every text goes through sanitizeText(), cut at kShownTextBytes,
/// and impossible durations become unknown.
void sanitizeRecords(std::vector<Record>& records);

} // namespace trainyard
