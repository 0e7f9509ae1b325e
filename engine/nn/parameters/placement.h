#pragma once

#include "engine/nn/device.h"

namespace trainyard {

/// Where a rank keeps its part of a model: what passes compute with lies on the device, and what they do not
/// need may wait in host memory.
struct Placement {
    Device device{};
    /// Master weights, moments and the sum of the gradients are in host memory, and the update runs there
    /// (ZeRO-Offload, Ren et al., arXiv:2101.06840).
    bool offloadsOptimizer = false;
    /// What a rank keeps of sharded weights between their uses is in host memory (ZeRO-Infinity, Rajbhandari
    /// et al., arXiv:2104.07857).
    bool offloadsParameters = false;
};

} // namespace trainyard
