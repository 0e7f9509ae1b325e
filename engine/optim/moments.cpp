#include "engine/optim/moments.h"

#include <cmath>

#include <ATen/ops/zeros_like.h>

namespace trainyard {

Moments::Moments(const std::vector<OptimizedTensor>& tensors)
{
    for (const OptimizedTensor& tensor : tensors)
        m_pairs.push_back({at::zeros_like(tensor.master), at::zeros_like(tensor.master)});
}

std::vector<StateTensor> Moments::state() const
{
    std::vector<StateTensor> state;
    for (std::size_t i = 0; i < m_pairs.size(); ++i) {
        state.push_back({"exp_avg", i, m_pairs[i].average});
        state.push_back({"exp_avg_sq", i, m_pairs[i].squareAverage});
    }
    return state;
}

double Moments::biasCorrection(double beta) const
{
    return 1.0 - std::pow(beta, static_cast<double>(steps));
}

} // namespace trainyard
