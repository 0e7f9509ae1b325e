#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "engine/optim/logical_sums.h"
#include "engine/optim/optimized_tensor.h"
#include "engine/optim/update_kernels.h"
#include "engine/spec/run_spec.h"

namespace trainyard {

/// Moves master weights along their gradients. Keeps views of the tensors given at creation, so the owner of
/// their memory must outlive it. One thread; parallel inside with ATen's threads.
class Optimizer {
public:
    virtual ~Optimizer() = default;

    /// One update with gradient * gradientScale (the clip coefficient). Leaves the gradients as they are. All
    /// ranks together.
    virtual void step(double learningRate, double gradientScale) = 0;

    /// Updates done so far: the t of the bias correction. Part of the state.
    virtual std::int64_t steps() const = 0;
    virtual void setSteps(std::int64_t steps) = 0;
    /// Views of the state, to be saved or overwritten by loading.
    virtual std::vector<StateTensor> state() const = 0;
};

/// The optimizer that the specification names, with zero state where the tensors lie. `sums` completes norms
/// over whole tensors; `kernels` work where the tensors lie.
std::unique_ptr<Optimizer> makeOptimizer(const OptimizerSpec& spec, std::vector<OptimizedTensor> tensors,
                                         LogicalSums sums = {},
                                         const UpdateKernels& kernels = processorUpdates());

} // namespace trainyard
