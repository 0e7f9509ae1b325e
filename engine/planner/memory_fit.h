#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/base/units.h"
#include "engine/spec/run_spec.h"

namespace trainyard {

/// The ranks of one host and the memory that each of them may use.
struct HostMemory {
    std::string host;
    int ranks = 0;
    std::optional<Bytes> perRank; ///< nothing = unknown
};

/// Every host that gets a rank, in order of node; the ranks fill the slots node by node. A rank has what the
/// specification says (`cluster.nodes[].memory`), and no more than its share of the host's main memory, as
/// far as `mainMemory(node)` knows it. Ranks live in main memory, also on a host with accelerators.
std::vector<HostMemory>
memoryOfHosts(const RunSpec& spec, const std::function<std::optional<Bytes>(std::size_t node)>& mainMemory);

/// The tightest host on which a rank that needs `needed` does not fit; nothing when all fit or are unknown.
std::optional<HostMemory> tooSmall(const std::vector<HostMemory>& hosts, Bytes needed);

/// Refused with host, need, what there is and what to change, when tooSmall() finds one.
Status fitsMemory(const std::vector<HostMemory>& hosts, Bytes needed);

} // namespace trainyard
