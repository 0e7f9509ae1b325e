#include "engine/optim/sgd.h"

#include <ATen/Dispatch.h>
#include <ATen/ops/zeros_like.h>

namespace trainyard {

Sgd::Sgd(const OptimizerSpec& spec, std::vector<OptimizedTensor> tensors, const UpdateKernels& kernels)
    : m_spec(spec), m_tensors(std::move(tensors)), m_ranges(m_tensors, kernels)
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
    const auto update = [&](const ElementRange& range) {
        const OptimizedTensor& tensor = m_tensors[range.tensor];
        AT_DISPATCH_FLOATING_TYPES(tensor.master.scalar_type(), "SGD", [&] {
            const auto as = [](double value) { return static_cast<scalar_t>(value); };
            scalar_t* const momentum =
                m_momenta.empty() ? nullptr
                                  : m_momenta[range.tensor].mutable_data_ptr<scalar_t>() + range.begin;
            m_ranges.kernels().of<scalar_t>().sgd(
                tensor.master.mutable_data_ptr<scalar_t>() + range.begin, momentum,
                tensor.gradient.const_data_ptr<scalar_t>() + range.begin, range.count(),
                {as(gradientScale), as(m_spec.momentum), as(tensor.decays ? m_spec.weightDecay : 0.0),
                 as(learningRate)});
        });
    };
    m_ranges.forEach(update,
                     [&](const ElementRange& range) { refreshWorkingCopy(m_tensors[range.tensor], range); });
}

} // namespace trainyard
