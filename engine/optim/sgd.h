#pragma once

#include "engine/optim/optimizer.h"
#include "engine/optim/ranges.h"

namespace trainyard {

/// Stochastic gradient descent with momentum, as torch.optim.SGD without dampening and Nesterov:
///     b <- mu b + (g + lambda w),   w <- w - lr b,   b = 0 at the start
/// Weight decay is a part of the gradient here, not decoupled. Without momentum (mu = 0) b is not kept: no
/// state at all. One pass over memory.
class Sgd : public Optimizer {
public:
    Sgd(const OptimizerSpec& spec, std::vector<OptimizedTensor> tensors, const UpdateKernels& kernels);

    void step(double learningRate, double gradientScale) override;
    std::int64_t steps() const override { return m_steps; }
    void setSteps(std::int64_t steps) override { m_steps = steps; }
    std::vector<StateTensor> state() const override;

private:
    OptimizerSpec m_spec;
    std::vector<OptimizedTensor> m_tensors;
    std::vector<at::Tensor> m_momenta; // b, by tensor; empty without momentum
    TensorRanges m_ranges;
    std::int64_t m_steps = 0;
};

} // namespace trainyard
