#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/base/processor.h"
#include "engine/base/units.h"
#include "engine/planner/hardware/node_calibration.h"
#include "engine/spec/run_spec.h"

namespace trainyard {

/// Dense operations per second at most, multiplications and additions counted singly, by the type of the
/// products' inputs. Sparsity is not counted.
struct PeakRates {
    double float64 = 0;
    double float32 = 0;
    double bfloat16 = 0;
    double float16 = 0;
    std::string source;

    double of(ComputeType type) const;
    bool operator==(const PeakRates&) const = default;
};

/// What a rank computes on.
struct DeviceModel {
    std::string name;
    Bytes memory = 0;
    PeakRates peak{};
    double memoryBandwidth = 0; ///< bytes per second, as the vendor gives it
    /// Units that each compute one tile of a product at a time (streaming multiprocessors); 0 = a product is
    /// not cut into tiles that leave units idle.
    int processors = 0;
    double productEfficiency = 0.8; ///< share of the peak that a product reaches while every unit has a tile
    double trafficEfficiency = 0.8; ///< share of the bandwidth that elementwise work reaches
    double kernelTime = 5e-6;       ///< seconds that every kernel takes besides its work
    double launchTime = 19e-6;      ///< seconds of host time per kernel: what short kernels wait for

    bool operator==(const DeviceModel&) const = default;
};

/// A measured or published point of a link: how fast an all-reduce of that size goes.
struct LinkPoint {
    Bytes size = 0;
    /// Bus bandwidth, bytes per second: 2 (n-1)/n size / time of a ring, so that it does not depend on n.
    double bandwidth = 0;

    bool operator==(const LinkPoint&) const = default;
};

/// The share of the table's bandwidth that groups of this size reach, because they use fewer links.
struct GroupShare {
    int ranks = 0;
    double share = 1;

    bool operator==(const GroupShare&) const = default;
};

/// Links as a table rather than as one bandwidth: at 1 MiB a constant bandwidth is wrong by ten times.
struct LinkTable {
    double latency = 0;             ///< seconds that one message takes however small it is
    std::vector<LinkPoint> points;  ///< ascending sizes, at least one
    std::vector<GroupShare> groups; ///< ascending ranks; larger groups reach all of it

    /// For a collective of `size` bytes among `ranks`: linear between points, constant outside.
    double bandwidth(double size, int ranks) const;
    bool operator==(const LinkTable&) const = default;
};

/// The price of a node; list prices go out of date.
struct Price {
    double perHour = 0; ///< 0 = unknown
    std::string currency = "USD";
    std::string date; ///< when it was so: "2023-06"

    /// NaN when the price is unknown.
    double costOf(double seconds) const;
    bool operator==(const Price&) const = default;
};

/// One machine. A plain value; the user can change every number.
struct NodeModel {
    std::string name;
    std::string description;
    DeviceModel device;
    int devices = 1;
    LinkTable deviceLinks; ///< between devices of the node
    LinkTable network;     ///< of all the node's adapters together, one direction
    double hostLink = 0;   ///< bytes per second between one device and the host's memory, one direction
    Bytes hostMemory = 0;
    bool sharesMemory = false; ///< the devices' memory is the host's: what is on both lies there once
    double hostBandwidth = 0;  ///< bytes per second of the host's memory
    std::optional<ProcessorMath> math{}; ///< of processors that compute themselves; nullopt = unknown
    Price price;
    std::optional<NodeCalibration> calibration; ///< nullopt: values from vendors and publications

    bool operator==(const NodeModel&) const = default;
};

/// Machines that train together. They may differ; ranks wait for each other, so the slowest one governs.
struct ClusterModel {
    struct Part {
        NodeModel node;
        int count = 1;

        bool operator==(const Part&) const = default;
    };
    std::vector<Part> parts;

    int nodes() const;
    int devices() const;
    double meanPeak(ComputeType type) const; ///< operations per second of a device; requires a part
    double pricePerHour() const;             ///< of all nodes; 0 unless each has a price, in one currency
    /// A node that has of everything what the worst of all has, products in `type` counted, the names of all
    /// and the oldest price's date. Requires a part.
    NodeModel governing(ComputeType type) const;

    bool operator==(const ClusterModel&) const = default;
};

/// So many of one kind.
ClusterModel clusterOf(const NodeModel& node, int count);

} // namespace trainyard
