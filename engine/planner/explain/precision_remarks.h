#pragma once

#include <vector>

#include "engine/planner/memory/memory_fit.h"
#include "engine/spec/diagnostic.h"
#include "engine/spec/run_spec.h"

namespace trainyard {

/// What the user should know where another type would be much faster: 16-bit numbers on hosts whose
/// processors have no instructions for them, with about how much slower than float32 a step is there, and
/// float32 on devices that multiply several times faster in bfloat16. Empty where neither is so, or nothing
/// is known of the processors and devices.
Diagnostics precisionRemarks(const RunSpec& spec, const std::vector<HostMemory>& hosts);

} // namespace trainyard
