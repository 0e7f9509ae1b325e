#pragma once

#include "engine/optim/moments.h"
#include "engine/optim/optimizer.h"
#include "engine/optim/ranges.h"

namespace trainyard {

/// LAMB (You et al., arXiv:1904.00962, Algorithm 2) in two variants, per logical tensor, phi = identity:
///     m <- beta1 m + (1 - beta1) g,   v <- beta2 v + (1 - beta2) g^2
///     s = sqrt(v / (1 - beta2^t)) + epsilon
///     u = (m / (1 - beta1^t)) / s + lambda w
///     w <- w - lr ||w|| / ||u|| u
/// As NVIDIA's FusedLAMB and BERT recipes have it (OptimizerKind::Lamb) the ratio of the norms is 1 for
/// tensors without weight decay, and clipping by the global norm, through gradientScale, is a part of it
/// (clipCoefficient()); as the paper has it (LambPaper) every tensor has its ratio.
///
/// LANS (Zheng et al., arXiv:2006.13484, Algorithm 2) normalises each tensor's gradient, h = g / ||g|| in
/// place of g, and moves along two directions, each with its ratio:
///     r = (m / (1 - beta1^t)) / s + lambda w,   c = h / s + lambda w
///     w <- w - lr (beta1 ||w|| / ||r|| r + (1 - beta1) ||w|| / ||c|| c)
/// h = 0 where ||g|| is. What scales the whole gradient, clipping included, changes nothing.
///
/// A ratio is 1 where one of its norms is 0. Norms are summed in float64. Two passes over memory, with LANS a
/// third one for ||g||: directions are not stored but computed again.
class Lamb : public Optimizer {
public:
    Lamb(const OptimizerSpec& spec, std::vector<OptimizedTensor> tensors, LogicalSums sums,
         const UpdateKernels& kernels);

    void step(double learningRate, double gradientScale) override;
    std::int64_t steps() const override { return m_moments.steps; }
    void setSteps(std::int64_t steps) override { m_moments.steps = steps; }
    std::vector<StateTensor> state() const override { return m_moments.state(); }

private:
    /// What each parameter's gradient is multiplied by.
    using GradientScales = std::function<double(const OptimizedTensor&)>;

    double decayOf(const OptimizedTensor& tensor) const { return tensor.decays ? m_spec.weightDecay : 0.0; }
    GradientScales gradientScales(double gradientScale) const;
    template <typename T>
    LambCoefficients<T> coefficients(const OptimizedTensor& tensor, double gradientScale) const;
    std::vector<double> advanceMoments(const GradientScales& scales);
    LambRates<double> rates(const OptimizedTensor& tensor, const double* squares) const;

    OptimizerSpec m_spec;
    LambDirections m_directions;
    LogicalSums m_sums;
    std::vector<OptimizedTensor> m_tensors;
    Moments m_moments;
    TensorRanges m_ranges;
};

} // namespace trainyard
