#pragma once

#include <vector>

#include "engine/records/record.h"

namespace trainyard {

/// Records that came from a host, made fit to be shown: every text in them as harmlessText() gives it, cut at
/// kShownTextBytes, and durations that cannot be as unknown ones.
void makeHarmless(std::vector<Record>& records);

} // namespace trainyard
