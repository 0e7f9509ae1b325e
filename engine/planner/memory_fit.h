#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/result.h"
#include "engine/base/units.h"
#include "engine/planner/rank_need.h"
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
    /// Of the host's main memory, for what the ranks' devices do not hold; nothing = unknown. Only with
    /// onDevices.
    std::optional<Bytes> mainPerRank{};
    double usableShare = 1; ///< of perRank that may be planned

    /// What of perRank may be planned.
    std::optional<Bytes> room() const;
};

/// Every host that gets a rank, in order of node; the ranks fill the slots node by node. A rank has what the
/// specification says (`cluster.nodes[].memory`), and no more than its device has, where each rank gets one
/// and launch.device allows it, or else its share of the host's main memory. With launch.device "auto" ranks
/// that have devices may still end in main memory: then the larger of both counts.
std::vector<HostMemory> memoryOfHosts(const RunSpec& spec, const MemoryOfNode& memory);

/// Refused when launch.device is "cuda" and a host has fewer devices than ranks.
Status haveDevices(const RunSpec& spec, const MemoryOfNode& memory);

/// What is too small for a rank.
struct MemoryShortage {
    HostMemory host;
    bool ofMainMemory = false; ///< what is offloaded does not fit beside the devices
    Bytes needed = 0;
    Bytes room = 0;

    /// Refused with host, need, what there is and what to change.
    Error error() const;
};

/// Of the tightest host, what ranks compute in first; nothing when all fit or are unknown.
std::optional<MemoryShortage> memoryShortage(const std::vector<HostMemory>& hosts, const RankNeed& need);

/// memoryShortage() as a status.
Status fitsMemory(const std::vector<HostMemory>& hosts, const RankNeed& need);

} // namespace trainyard
