#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace trainyard {

/// Where the time of an optimizer step goes, on the rank that is busiest.
enum class StepCause {
    Products,     ///< matrix products
    Traffic,      ///< elementwise operations, bound by memory
    Launches,     ///< kernels' own time, and what the host takes longer to launch than the device to run
    Recompute,    ///< forward passes that are repeated, all of the above
    Tensor,       ///< collectives between tensor-parallel ranks
    Context,      ///< keys and values going round, as far as attention does not hide it
    Gathers,      ///< ZeRO: weights brought together, as far as computing does not hide it
    Offload,      ///< copies to and from host memory, as far as computing does not hide them
    Transfers,    ///< sends between stages that passes wait for
    Reductions,   ///< gradients among data-parallel ranks, as far as the backward pass does not hide it
    Optimizer,    ///< update of the weights, and of ZeRO bringing them together again
    MicroBatches, ///< fixed time of each micro-batch
    Stragglers,   ///< waiting for the slowest device
    Bubble,       ///< waiting for other pipeline stages, or for a turn on a core that ranks share
    Experts,      ///< tokens on their way to the ranks with their experts, and back
};
constexpr std::size_t kStepCauses = 15;

/// "products", "traffic", ... as --json writes them.
std::string_view nameOf(StepCause cause);

/// Seconds.
using TimeByCause = std::array<double, kStepCauses>;

inline double& at(TimeByCause& seconds, StepCause cause)
{
    return seconds[static_cast<std::size_t>(cause)];
}
double sum(const TimeByCause& seconds);
/// `seconds` += `times` * `more`.
void add(TimeByCause& seconds, const TimeByCause& more, double times = 1);

} // namespace trainyard
