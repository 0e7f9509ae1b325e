#pragma once

#include "engine/optim/moments.h"
#include "engine/optim/optimizer.h"
#include "engine/optim/ranges.h"

namespace trainyard {

/// Adam with decoupled weight decay (Loshchilov and Hutter, arXiv:1711.05101), as torch.optim.AdamW:
///     w <- (1 - lr * lambda) w
///     m <- beta1 m + (1 - beta1) g,   v <- beta2 v + (1 - beta2) g^2
///     w <- w - lr * (m / (1 - beta1^t)) / (sqrt(v / (1 - beta2^t)) + epsilon)
/// One pass over memory.
class AdamW : public Optimizer {
public:
    AdamW(const OptimizerSpec& spec, std::vector<OptimizedTensor> tensors, const UpdateKernels& kernels);

    void step(double learningRate, double gradientScale) override;
    std::int64_t steps() const override { return m_moments.steps; }
    void setSteps(std::int64_t steps) override { m_moments.steps = steps; }
    std::vector<StateTensor> state() const override { return m_moments.state(); }

private:
    OptimizerSpec m_spec;
    std::vector<OptimizedTensor> m_tensors;
    Moments m_moments;
    TensorRanges m_ranges;
};

} // namespace trainyard
