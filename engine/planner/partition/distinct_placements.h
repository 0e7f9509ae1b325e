#pragma once

#include <string>
#include <vector>

#include "engine/spec/run_spec.h"

namespace trainyard {

/// The orders of D, P and T that deal this layout's ranks out differently: a degree of 1 may stand anywhere.
/// "PDT", "DPT", "DTP", "PTD", "TPD", "TDP"; of equal ones the first.
std::vector<std::string> distinctPlacements(const ParallelLayout& layout);

} // namespace trainyard
