#pragma once

#include <functional>
#include <vector>

#include "engine/planner/partition/stage_division.h"

namespace trainyard {

/// A layout's ranks and layers on nodes that may differ.
struct Arrangement {
    RunSpec spec;                 ///< with this placement, order of nodes, and layers
    std::vector<int> layerCounts; ///< of each stage, first stage first
    double step = 0;              ///< seconds, simulated
    bool fits = false;            ///< every rank its hosts (memory_fit.h)
};

/// Every order of D, P and T, and of unequal kinds of nodes, with layers dealt out by time (layersByTime());
/// what fits first, then the fastest. `measured`: as layersByTime() has it. A placement that deals ranks out
/// like an earlier one is left out, and so is an order of nodes beyond the first 24. `nodes`: what each entry
/// of spec.cluster.nodes is. `goesOn`: called between them with the share that is done; false ends it, with
/// Cancelled. Other errors as pipelineNodes() and StepModel::create().
Result<std::vector<Arrangement>> arrange(const RunSpec& spec, const SequenceShape& shape,
                                         const std::vector<NodeModel>& nodes,
                                         const std::optional<PartCosts>& measured = {},
                                         const std::function<bool(double share)>& goesOn = {});

} // namespace trainyard
