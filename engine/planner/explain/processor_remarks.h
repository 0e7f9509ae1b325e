#pragma once

#include <vector>

#include "engine/planner/memory/memory_fit.h"
#include "engine/spec/diagnostic.h"
#include "engine/spec/run_spec.h"

namespace trainyard {

/// What the user should know about processors that compute this slowly: 16-bit numbers on hosts whose
/// processors have no instructions for them, with about how much slower than float32 a step is there. Empty
/// where all have them, where ranks compute on devices, and where nothing is known of the processors.
Diagnostics processorRemarks(const RunSpec& spec, const std::vector<HostMemory>& hosts);

} // namespace trainyard
