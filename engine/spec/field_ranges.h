#pragma once

#include "engine/spec/checker.h"
#include "engine/spec/run_spec.h"

namespace trainyard {

/// Complains about every number of the specification that is out of the range of its description, in the
/// order of the file.
void checkRanges(const RunSpec& spec, Checker& check);

} // namespace trainyard
