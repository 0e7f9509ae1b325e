#pragma once

#include <optional>
#include <vector>

#include "engine/planner/hardware/hardware.h"
#include "engine/spec/diagnostic.h"
#include "engine/spec/run_spec.h"

namespace trainyard {

/// Where a cluster contradicts the hardware that its nodes are said to be: more slots than a node has
/// devices, unless the devices are its cores, which ranks can share; accelerators asked of processors, or
/// processors where the hardware is described by its accelerators. `nodes`: of each of the cluster's, nothing
/// where that is unknown.
Diagnostics hardwareProblems(const RunSpec& spec, const std::vector<std::optional<NodeModel>>& nodes);

} // namespace trainyard
