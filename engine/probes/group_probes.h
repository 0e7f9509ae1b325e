#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "engine/comm/group_maker.h"
#include "engine/nn/device.h"
#include "engine/planner/calibration/probe.h"

namespace trainyard {

class ProcessGroup;

/// The groups that one rank is in while hosts are probed: the first ranks of its host, and the ranks with the
/// same number on the other hosts. Null where it is in none, or alone.
struct ProbeGroups {
    std::unique_ptr<ProcessGroup> node;
    std::unique_ptr<ProcessGroup> network;
};

/// All ranks call it. `slots`: ranks on each host, which ranks fill in order; `ranksPerHost` of each of them
/// take part.
ProbeGroups makeProbeGroups(GroupMaker& maker, const std::vector<int>& slots, int ranksPerHost);

/// The work of a probe between ranks, ready to be repeated by all members together. It owns its tensors; the
/// group outlives it.
std::function<void()> groupWork(const Probe& probe, ProcessGroup& group, const Device& device);

} // namespace trainyard
