#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace trainyard {

/// What a calibration may correct, each a physical part of the step.
enum class TimeFactor {
    Products,     ///< matrix products where arithmetic bounds them
    Traffic,      ///< whatever memory bandwidth bounds
    Launches,     ///< host time per kernel, and what a kernel takes besides its work
    Tensor,       ///< collectives between tensor-parallel ranks
    Transfers,    ///< sends between pipeline stages
    Reductions,   ///< gradients and weights among data-parallel ranks
    MicroBatches, ///< fixed time per micro-batch
    Sharing,      ///< all computing, for each doubling of the replicas that share a node of several, or of
                  ///< the ranks on a host that computes itself
};
constexpr std::size_t kTimeFactors = 8;

/// "products", "traffic", ... as files and --json write them.
std::string_view nameOf(TimeFactor factor);

/// How many times longer each part takes than the node's description says. All 1 without a calibration.
struct TimeCoefficients {
    std::array<double, kTimeFactors> factors{1, 1, 1, 1, 1, 1, 1, 1};

    double operator[](TimeFactor factor) const { return factors[static_cast<std::size_t>(factor)]; }
    bool operator==(const TimeCoefficients&) const = default;
};

} // namespace trainyard
