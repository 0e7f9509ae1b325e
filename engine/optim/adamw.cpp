#include "engine/optim/adamw.h"

#include <cmath>

#include <ATen/Dispatch.h>

namespace trainyard {

AdamW::AdamW(const OptimizerSpec& spec, std::vector<OptimizedTensor> tensors, const UpdateKernels& kernels)
    : m_spec(spec), m_tensors(std::move(tensors)), m_moments(m_tensors), m_ranges(m_tensors, kernels)
{
}

void AdamW::step(double learningRate, double gradientScale)
{
    ++m_moments.steps;
    const double stepSize = learningRate / m_moments.biasCorrection(m_spec.beta1);
    const double rootCorrection = 1.0 / std::sqrt(m_moments.biasCorrection(m_spec.beta2));
    const auto update = [&](const ElementRange& range) {
        const OptimizedTensor& tensor = m_tensors[range.tensor];
        const double shrink = tensor.decays ? 1.0 - learningRate * m_spec.weightDecay : 1.0;
        AT_DISPATCH_FLOATING_TYPES(tensor.master.scalar_type(), "AdamW", [&] {
            const auto as = [](double value) { return static_cast<scalar_t>(value); };
            m_ranges.kernels().of<scalar_t>().adamW(
                m_moments.streams<scalar_t>(tensor, range), bfloat16CopyOf(tensor, range), range.count(),
                {as(gradientScale), as(1.0 - m_spec.beta1), as(m_spec.beta2), as(1.0 - m_spec.beta2),
                 as(stepSize), as(rootCorrection), as(m_spec.epsilon), as(shrink)});
        });
    };
    m_ranges.forEach(update,
                     [&](const ElementRange& range) { refreshOtherCopy(m_tensors[range.tensor], range); });
}

} // namespace trainyard
