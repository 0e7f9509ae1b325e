#pragma once

#include <optional>
#include <vector>

#include "engine/planner/hardware/hardware.h"
#include "engine/spec/diagnostic.h"
#include "engine/spec/run_spec.h"

namespace trainyard {

/// Finds contradictions between a cluster and its nodes' hardware: more slots than a node has devices, unless
/// the devices are its cores, which ranks can share; accelerators asked of processors, or processors where
/// the hardware is described by its accelerators. `nodes`: one for each of the cluster's nodes, nullopt where
/// unknown.
Diagnostics hardwareProblems(const RunSpec& spec, const std::vector<std::optional<NodeModel>>& nodes);

} // namespace trainyard
