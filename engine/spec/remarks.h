#pragma once

#include "engine/spec/diagnostic.h"
#include "engine/spec/run_spec.h"

namespace trainyard {

/// What a valid specification says without effect, or does not mean: sizes that cost much for little, recipes that
/// seldom learn. Nothing here keeps the run from working.
Diagnostics remarksOn(const RunSpec& spec);

} // namespace trainyard
