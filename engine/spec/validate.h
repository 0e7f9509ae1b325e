#pragma once

#include "engine/spec/diagnostic.h"
#include "engine/spec/run_spec.h"

namespace trainyard {

/// Everything that is wrong with the values, at once, each with the nearest settings that would do.
/// Looks only at the specification: no file and no host is touched.
Diagnostics validate(const RunSpec& spec);

} // namespace trainyard
