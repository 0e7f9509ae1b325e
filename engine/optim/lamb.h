#pragma once

#include "engine/optim/moments.h"
#include "engine/optim/optimizer.h"
#include "engine/optim/ranges.h"

namespace trainyard {

/// LAMB (You et al., arXiv:1904.00962) in the variant of NVIDIA's FusedLAMB and BERT recipes:
///     m <- beta1 m + (1 - beta1) g,   v <- beta2 v + (1 - beta2) g^2
///     u = (m / (1 - beta1^t)) / (sqrt(v / (1 - beta2^t)) + epsilon) + lambda w      bias correction inside u
///     w <- w - lr * r * u,   r = ||w|| / ||u|| per logical tensor, phi = identity
/// r is 1 for tensors without weight decay and where a norm is 0. The paper's variant differs in having no
/// bias correction. Clipping by the global norm happens before, through gradientScale (clipCoefficient()
/// knows NVIDIA's rule). Norms are summed in float64.
///
/// Two passes over memory: u is not stored but computed again from m, v and w.
class Lamb : public Optimizer {
public:
    Lamb(const OptimizerSpec& spec, std::vector<OptimizedTensor> tensors, LogicalSums sums = {});

    void step(double learningRate, double gradientScale) override;
    std::int64_t steps() const override { return m_moments.steps; }
    void setSteps(std::int64_t steps) override { m_moments.steps = steps; }
    std::vector<StateTensor> state() const override { return m_moments.state(); }

private:
    struct Norms {
        double weight = 0; // sums of squares over the logical tensor
        double update = 0;
    };
    double decayOf(const OptimizedTensor& tensor) const { return tensor.decays ? m_spec.weightDecay : 0.0; }
    std::vector<Norms> advanceMoments(double gradientScale);
    double trustRatio(const OptimizedTensor& tensor, const Norms& norms) const;

    OptimizerSpec m_spec;
    LogicalSums m_sums;
    std::vector<OptimizedTensor> m_tensors;
    Moments m_moments;
    std::vector<ElementRange> m_ranges;
};

} // namespace trainyard
