#pragma once

#include <cstdint>
#include <vector>

#include "engine/optim/optimized_tensor.h"

namespace trainyard {

/// First and second moments of every tensor's gradient, as Adam and LAMB keep them.
class Moments {
public:
    explicit Moments(const std::vector<OptimizedTensor>& tensors);

    struct Pair {
        at::Tensor average;       ///< "exp_avg"
        at::Tensor squareAverage; ///< "exp_avg_sq"
    };
    const Pair& of(std::size_t tensor) const { return m_pairs[tensor]; }
    std::vector<StateTensor> state() const;

    std::int64_t steps = 0; ///< updates done so far

    /// 1 - beta^steps: what makes up for moments that started at zero.
    double biasCorrection(double beta) const;

private:
    std::vector<Pair> m_pairs;
};

} // namespace trainyard
