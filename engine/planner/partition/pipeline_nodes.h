#pragma once

#include <vector>

#include "engine/base/result.h"
#include "engine/planner/hardware/hardware.h"
#include "engine/planner/memory/memory_fit.h"
#include "engine/spec/run_spec.h"

namespace trainyard {

/// The hardware of a pipeline rank, in all replicas of the model and all its tensor-parallel ranks.
struct PipelineNode {
    NodeModel node;                ///< of unequal ones the governing one; its network is the cluster's worst
    std::vector<HostMemory> hosts; ///< that have ranks of it

    bool operator==(const PipelineNode&) const = default;
};

/// Of each pipeline rank, first to last. `nodes`: what each entry of spec.cluster.nodes is; ranks fill their
/// slots in order, and those that get none may be left out behind. BadInput for a placement that is none,
/// Refused where the slots are fewer than the ranks.
Result<std::vector<PipelineNode>> pipelineNodes(const RunSpec& spec, const std::vector<NodeModel>& nodes);

} // namespace trainyard
