#pragma once

#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/spec/run_spec.h"
#include "remote/agent/sampler/nvidia_smi.h"
#include "remote/agent/usage/machine_usage.h"

namespace trainyard::agent {

/// What the ranks of a run need of one node.
struct NodeNeed {
    DeviceKind device = DeviceKind::Auto;
    int ranks = 1;
    int threadsPerRank = 1;
    std::vector<std::string> devices{}; ///< that the ranks may take; empty = any
};

/// Returns why the node is not free for these ranks, in a sentence; empty = it is free. One device per rank
/// has to be free or, where the ranks compute on the processor, as many cores as they have threads. A node
/// that can never satisfy the need counts as free: the start explains that better. Others may use a tenth of
/// the cores that are needed, and at least half a core. `cores`: of the node, as far as its agent may use
/// them.
std::string whyNotFree(const NodeNeed& need, int cores, const std::vector<GpuFacts>& gpus,
                       const MachineUsage& usage);

/// `trainyard-agent check-free`: the same of this machine, as it is now, for a run; Refused with the reason.
Status checkFree(const NodeNeed& need, const std::string& run);

} // namespace trainyard::agent
