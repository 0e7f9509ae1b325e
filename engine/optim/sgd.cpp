#include "engine/optim/sgd.h"

#include <ATen/Dispatch.h>
#include <ATen/ops/zeros_like.h>

#include "engine/optim/sgd_kernel.h"
#include "engine/optim/working_copy.h"

namespace trainyard {

Sgd::Sgd(const OptimizerSpec& spec, std::vector<OptimizedTensor> tensors)
    : m_spec(spec), m_tensors(std::move(tensors)), m_ranges(rangesOf(m_tensors))
{
    if (spec.momentum == 0.0)
        return;
    for (const OptimizedTensor& tensor : m_tensors)
        m_momenta.push_back(at::zeros_like(tensor.master));
}

std::vector<StateTensor> Sgd::state() const
{
    std::vector<StateTensor> state;
    for (std::size_t i = 0; i < m_momenta.size(); ++i)
        state.push_back({"momentum_buffer", i, m_momenta[i]});
    return state;
}

void Sgd::step(double learningRate, double gradientScale)
{
    ++m_steps;
    forEachRange(m_ranges, [&](std::size_t index) {
        const ElementRange& range = m_ranges[index];
        const OptimizedTensor& tensor = m_tensors[range.tensor];
        AT_DISPATCH_FLOATING_TYPES(tensor.master.scalar_type(), "SGD", [&] {
            const auto as = [](double value) { return static_cast<scalar_t>(value); };
            const SgdCoefficients<scalar_t> coefficients{as(gradientScale), as(m_spec.momentum),
                                                         as(tensor.decays ? m_spec.weightDecay : 0.0),
                                                         as(learningRate)};
            scalar_t* weight = tensor.master.mutable_data_ptr<scalar_t>() + range.begin;
            const scalar_t* gradient = tensor.gradient.const_data_ptr<scalar_t>() + range.begin;
            const std::int64_t count = range.end - range.begin;
            if (m_momenta.empty())
                return updateSgd(weight, gradient, count, coefficients);
            updateSgd(weight, m_momenta[range.tensor].mutable_data_ptr<scalar_t>() + range.begin, gradient,
                      count, coefficients);
        });
        refreshWorkingCopy(tensor, range);
    });
}

} // namespace trainyard
