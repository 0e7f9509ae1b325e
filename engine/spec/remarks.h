#pragma once

#include "engine/spec/diagnostic.h"
#include "engine/spec/run_spec.h"

namespace trainyard {

/// What a valid specification says without effect. Nothing here keeps the run from working; the user should
/// know that it does not do what was asked for.
Diagnostics remarksOn(const RunSpec& spec);

} // namespace trainyard
