#pragma once

#include "engine/optim/lans_kernel.h"
#include "engine/optim/moments.h"
#include "engine/optim/optimizer.h"
#include "engine/optim/ranges.h"

namespace trainyard {

/// LANS (Zheng et al., arXiv:2006.13484, Algorithm 2), per logical tensor, phi = identity:
///     h = g / ||g||
///     m <- beta1 m + (1 - beta1) h,   v <- beta2 v + (1 - beta2) h^2
///     s = sqrt(v / (1 - beta2^t)) + epsilon
///     r = (m / (1 - beta1^t)) / s + lambda w,   c = h / s + lambda w
///     w <- w - lr (beta1 ||w|| / ||r|| r + (1 - beta1) ||w|| / ||c|| c)
/// A ratio is 1 where one of its norms is 0, and h = 0 where ||g|| is; unlike NVIDIA's LAMB it also applies
/// to tensors without weight decay. What scales the whole gradient, clipping included, changes nothing. Norms
/// are summed in float64.
///
/// Three passes over memory: ||g||; moments and norms of r and c; weights, with r and c computed again.
class Lans : public Optimizer {
public:
    Lans(const OptimizerSpec& spec, std::vector<OptimizedTensor> tensors, LogicalSums sums,
         const UpdateKernels& kernels);

    void step(double learningRate, double gradientScale) override;
    std::int64_t steps() const override { return m_moments.steps; }
    void setSteps(std::int64_t steps) override { m_moments.steps = steps; }
    std::vector<StateTensor> state() const override { return m_moments.state(); }

private:
    template <typename T>
    LansCoefficients<T> coefficients(const OptimizedTensor& tensor, const std::vector<double>& squares) const;
    std::vector<double> advanceMoments(const std::vector<double>& gradientSquares);
    void moveWeights(double learningRate, const std::vector<double>& gradientSquares,
                     const std::vector<double>& sums);

    OptimizerSpec m_spec;
    LogicalSums m_sums;
    std::vector<OptimizedTensor> m_tensors;
    Moments m_moments;
    TensorRanges m_ranges;
};

} // namespace trainyard
