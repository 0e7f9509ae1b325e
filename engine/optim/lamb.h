#pragma once

#include "engine/optim/moments.h"
#include "engine/optim/optimizer.h"
#include "engine/optim/ranges.h"

namespace trainyard {

/// LAMB (You et al., arXiv:1904.00962, Algorithm 2) in two variants:
///     m <- beta1 m + (1 - beta1) g,   v <- beta2 v + (1 - beta2) g^2
///     u = (m / (1 - beta1^t)) / (sqrt(v / (1 - beta2^t)) + epsilon) + lambda w
///     w <- w - lr * r * u,   r = ||w|| / ||u|| per logical tensor, phi = identity
/// r is 1 where a norm is 0. As NVIDIA's FusedLAMB and BERT recipes have it (OptimizerKind::Lamb) r is also 1
/// for tensors without weight decay, and clipping by the global norm, through gradientScale, is a part of it
/// (clipCoefficient()); as the paper has it (LambPaper) every tensor has its ratio. Norms are summed in
/// float64.
///
/// Two passes over memory: u is not stored but computed again from m, v and w.
class Lamb : public Optimizer {
public:
    Lamb(const OptimizerSpec& spec, std::vector<OptimizedTensor> tensors, LogicalSums sums,
         const UpdateKernels& kernels);

    void step(double learningRate, double gradientScale) override;
    std::int64_t steps() const override { return m_moments.steps; }
    void setSteps(std::int64_t steps) override { m_moments.steps = steps; }
    std::vector<StateTensor> state() const override { return m_moments.state(); }

private:
    double decayOf(const OptimizedTensor& tensor) const { return tensor.decays ? m_spec.weightDecay : 0.0; }
    std::vector<double> advanceMoments(double gradientScale);
    double trustRatio(const OptimizedTensor& tensor, const std::vector<double>& sums) const;

    OptimizerSpec m_spec;
    LogicalSums m_sums;
    std::vector<OptimizedTensor> m_tensors;
    Moments m_moments;
    TensorRanges m_ranges;
};

} // namespace trainyard
