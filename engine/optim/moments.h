#pragma once

#include <cstdint>
#include <vector>

#include "engine/optim/ranges.h"

namespace trainyard {

/// First and second moments of every tensor's gradient, as Adam and LAMB keep them.
class Moments {
public:
    explicit Moments(const std::vector<OptimizedTensor>& tensors);

    /// What the kernels of a range of `tensor` are given. Addresses of host or device memory, valid as long
    /// as the tensors are.
    template <typename T>
    MomentStreams<T> streams(const OptimizedTensor& tensor, const ElementRange& range) const
    {
        const Pair& moments = m_pairs[range.tensor];
        return {tensor.master.mutable_data_ptr<T>() + range.begin,
                moments.average.mutable_data_ptr<T>() + range.begin,
                moments.squareAverage.mutable_data_ptr<T>() + range.begin,
                tensor.gradient.const_data_ptr<T>() + range.begin};
    }
    std::vector<StateTensor> state() const;

    std::int64_t steps = 0; ///< updates done so far

    /// 1 - beta^steps: what makes up for moments that started at zero.
    double biasCorrection(double beta) const;

private:
    struct Pair {
        at::Tensor average;       ///< "exp_avg"
        at::Tensor squareAverage; ///< "exp_avg_sq"
    };
    std::vector<Pair> m_pairs;
};

} // namespace trainyard
