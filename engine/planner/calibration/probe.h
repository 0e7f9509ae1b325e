#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/processor.h"
#include "engine/base/units.h"
#include "engine/planner/time/product_time.h"
#include "engine/spec/run_spec.h"

namespace trainyard {

enum class ProbeKind {
    Product,     ///< one matrix product
    Traffic,     ///< a sum of two long vectors in the device's memory
    Elementwise, ///< what a layer does between its products: norm, activation, softmax, residual sum
    HostTraffic, ///< the same in the host's memory
    Launch,      ///< kLaunchesOfProbe kernels that have next to nothing to do
    HostCopy,    ///< from the device's memory to the host's
    AllReduce,
    AllGather,
    Send, ///< from each rank to the next one
};
constexpr std::size_t kProbeKinds = 9;

/// Of operations in a chain, and of the backward pass through it, which has two for each of them: as a
/// training step launches them, with a graph and memory for every result.
constexpr int kOperationsOfLaunchProbe = 32;
constexpr int kLaunchesOfProbe = 3 * kOperationsOfLaunchProbe;

/// The ends between which a probe moves data.
enum class ProbeReach {
    Device,  ///< every rank by itself, all at once
    Node,    ///< the ranks of each host
    Network, ///< equal ranks of all hosts, all groups at once
};
constexpr std::size_t kProbeReaches = 3;

/// "product", "all-reduce", ... and "device", "node", "network" as files write them.
std::string_view nameOf(ProbeKind kind);
std::string_view nameOf(ProbeReach reach);
std::optional<ProbeKind> probeKindFrom(std::string_view name);
std::optional<ProbeReach> probeReachFrom(std::string_view name);

/// One measurement on hosts, and its result.
struct Probe {
    ProbeKind kind = ProbeKind::Product;
    ProbeReach reach = ProbeReach::Device;
    ComputeType type = ComputeType::Float32; ///< of a product
    MatrixProduct product{};
    /// Read and written by traffic, copied or sent; of a collective as collective_time.h counts them.
    double bytes = 0;

    double seconds = 0; ///< median of the repetitions, on the slowest host; 0 = not measured yet
    double spread = 0;  ///< half the distance of the quartiles, as a share of the median

    /// "float32 product 2048 x 4096 x 1024", "all-reduce of 8.00 MiB over the network".
    std::string text() const;
    bool operator==(const Probe&) const = default;
};

/// The probed hardware. Where hosts differ, the worst of each value.
struct ProbedHardware {
    std::string device; ///< name, for people
    Bytes deviceMemory = 0;
    int processors = 0; ///< of a device, as DeviceModel has them
    Bytes hostMemory = 0;
    std::vector<std::string> hosts;
    int ranksPerHost = 1;
    std::optional<ProcessorMath> math{}; ///< of the first rank's processor where that is the device

    /// The processor is the device: its memory is the host's.
    bool isProcessor() const { return processors == 0; }
    bool operator==(const ProbedHardware&) const = default;
};

struct ProbeReport {
    ProbedHardware hardware;
    ComputeType type = ComputeType::Float32; ///< that the runs will compute in
    std::vector<Probe> probes;

    bool operator==(const ProbeReport&) const = default;
};

} // namespace trainyard
