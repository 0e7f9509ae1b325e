#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/result.h"
#include "engine/base/units.h"
#include "engine/spec/run_spec.h"

namespace trainyard {

/// What is known of a node's memory.
struct NodeMemory {
    NodeMemory(std::optional<Bytes> mainMemory = std::nullopt, std::vector<Bytes> ofDevices = {})
        : main(mainMemory), devices(std::move(ofDevices))
    {
    }

    std::optional<Bytes> main;  ///< nothing = unknown
    std::vector<Bytes> devices; ///< of each CUDA device, in their order
};
using MemoryOfNode = std::function<NodeMemory(std::size_t node)>;

/// The ranks of one host and the memory that each of them may use.
struct HostMemory {
    std::string host;
    int ranks = 0;
    std::optional<Bytes> perRank{}; ///< nothing = unknown
    bool onDevices = false;         ///< it is that of their devices
};

/// Every host that gets a rank, in order of node; the ranks fill the slots node by node. A rank has what the
/// specification says (`cluster.nodes[].memory`), and no more than its device has, where each rank gets one
/// and launch.device allows it, or else its share of the host's main memory. With launch.device "auto" ranks
/// that have devices may still end in main memory: then the larger of both counts.
std::vector<HostMemory> memoryOfHosts(const RunSpec& spec, const MemoryOfNode& memory);

/// Refused when launch.device is "cuda" and a host has fewer devices than ranks.
Status haveDevices(const RunSpec& spec, const MemoryOfNode& memory);

/// The tightest host on which a rank that needs `needed` does not fit; nothing when all fit or are unknown.
std::optional<HostMemory> tooSmall(const std::vector<HostMemory>& hosts, Bytes needed);

/// Refused with host, need, what there is and what to change, when tooSmall() finds one.
Status fitsMemory(const std::vector<HostMemory>& hosts, Bytes needed);

} // namespace trainyard
