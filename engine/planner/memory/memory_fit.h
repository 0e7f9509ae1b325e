#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/processor.h"
#include "engine/base/result.h"
#include "engine/base/units.h"
#include "engine/planner/layout/rank_grid.h"
#include "engine/records/record.h"
#include "engine/spec/run_spec.h"

namespace trainyard {

/// What a rank needs at the peak of a step.
struct RankNeed {
    Bytes onDevice = 0;
    Bytes onHost = 0;
};

RankNeed needOf(const MemoryByCategory& bytes);

/// The known memory of a node, and the processor properties that affect memory.
struct NodeMemory {
    NodeMemory(std::optional<Bytes> mainMemory = std::nullopt, std::vector<Bytes> ofDevices = {},
               std::optional<ProcessorMath> ofProcessor = std::nullopt)
        : main(mainMemory), devices(std::move(ofDevices)), math(ofProcessor)
    {
    }

    std::optional<Bytes> main;         ///< nullopt = unknown
    std::vector<Bytes> devices;        ///< of each CUDA device, in their order
    std::optional<ProcessorMath> math; ///< nullopt = unknown
};
using MemoryOfNode = std::function<NodeMemory(std::size_t node)>;

/// The ranks of one host and the memory that each of them may use.
struct HostMemory {
    std::string host{};
    int ranks = 0;
    std::optional<Bytes> perRank{}; ///< nullopt = unknown
    bool onDevices = false;         ///< perRank is memory of their devices
    /// Of the host's main memory, for what the ranks' devices do not hold; nullopt = unknown. Only with
    /// onDevices.
    std::optional<Bytes> mainPerRank{};
    double usableShare = 1; ///< usable share of perRank
    std::size_t node = 0;   ///< its place in cluster.nodes
    /// Of the processor that its ranks compute on; nullopt = unknown, or they compute on devices.
    std::optional<ProcessorMath> math{};
    /// Operations per second of the device that each of its ranks computes on, in products of these types; 0
    /// = unknown, or they compute on the processor.
    double float32Peak = 0;
    double bfloat16Peak = 0;

    /// The usable part of perRank.
    std::optional<Bytes> capacity() const;
    /// The part of a need that must fit into capacity(): all of it where ranks compute in main memory.
    Bytes needed(const RankNeed& need) const { return need.onDevice + (onDevices ? 0 : need.onHost); }
    /// Whether a rank with this need fits; unknown memory fits everything.
    bool holds(const RankNeed& need) const { return fits(need) && holdsOffloaded(need); }
    bool fits(const RankNeed& need) const;           ///< capacity() holds what has to fit there
    bool holdsOffloaded(const RankNeed& need) const; ///< mainPerRank holds the rest

    bool operator==(const HostMemory&) const = default;
};

/// Every host that gets a rank, in order of node; the ranks fill the slots node by node. A rank has what the
/// specification says (`cluster.nodes[].memory`), and no more than its device has, where each rank gets one
/// and launch.device allows it, or else its share of the host's main memory. With launch.device "auto" ranks
/// that have devices may still end in main memory: then the larger of both counts.
std::vector<HostMemory> memoryOfHosts(const RunSpec& spec, const MemoryOfNode& memory);

/// Resolves launch.device "auto" for a plan: CUDA where every rank has its own device; otherwise as asked. At
/// run time assignDevices() (engine/device/device_choice.h) applies the same rule to the devices it finds.
DeviceKind resolvedDevice(DeviceKind asked, const std::vector<HostMemory>& hosts);

/// How the processor of that host multiplies matrices of the specification's type; Native where it does not
/// compute, or where that is unknown.
NarrowProducts productsOn(const RunSpec& spec, const HostMemory& host);

/// Widened when it is that on any of the hosts (memory_model.h).
NarrowProducts productsOn(const RunSpec& spec, const std::vector<HostMemory>& hosts);

/// Refused when launch.device is "cuda" and a host has fewer devices than ranks.
Status haveDevices(const RunSpec& spec, const MemoryOfNode& memory);

/// For each host, its pipeline ranks. `hosts`: those that get a rank, all of them.
std::vector<std::vector<int>> pipelineRanksOf(const std::vector<HostMemory>& hosts, const RankGrid& grid);

/// A host on which a rank does not fit.
struct MemoryShortage {
    HostMemory host;
    MemoryByCategory bytes{};  ///< of the rank
    bool ofMainMemory = false; ///< what is offloaded does not fit beside the devices
    Bytes needed = 0;
    Bytes room = 0;

    /// Refused with host, need, what there is and what to change.
    Error error() const;
};

/// Checks each host against its ranks: in a pipeline, those whose stages it has. Returns the shortage on the
/// tightest host, compute memory before offload memory, of the rank that needs most there; nullopt when all
/// fit or are unknown. `pipelineRanks`: memoryOfPipelineRanks(). In an invalid layout, every host may get any
/// rank.
std::optional<MemoryShortage> memoryShortage(const ParallelLayout& layout,
                                             const std::vector<HostMemory>& hosts,
                                             const std::vector<MemoryByCategory>& pipelineRanks);

} // namespace trainyard
