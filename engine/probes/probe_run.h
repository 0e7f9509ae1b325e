#pragma once

#include <cstddef>
#include <functional>

#include "engine/comm/group_maker.h"
#include "engine/nn/device.h"
#include "engine/planner/calibration/probe.h"

namespace trainyard {

class ProcessGroup;

struct ProbeSetup {
    const RunSpec& spec; ///< whose cluster the ranks fill, slot by slot
    GroupMaker& maker;
    ProcessGroup& world;
    Device device{};
    /// Of this rank: name, memory and processors of its device, the host's memory. Hosts and ranks on them
    /// are the specification's.
    ProbedHardware hardware;
    /// Before each probe; on every rank.
    std::function<void(std::size_t done, std::size_t all, const Probe& next)> onProgress;
};

/// Measures what plannedProbes() asks for. All ranks call it together; the report is rank 0's, the others get
/// an empty one. Of every figure it has the worst host's, where the ranks of a host count by their median.
/// Throws CommunicationError when a rank is lost.
ProbeReport runProbes(const ProbeSetup& setup);

} // namespace trainyard
