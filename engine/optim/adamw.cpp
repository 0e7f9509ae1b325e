#include "engine/optim/adamw.h"

#include <cmath>

#include <ATen/Dispatch.h>

#include "engine/optim/adamw_kernel.h"
#include "engine/optim/working_copy.h"

namespace trainyard {

namespace {

template <typename T>
void updateRange(const OptimizedTensor& tensor, const Moments::Pair& moments, const ElementRange& range,
                 const AdamWCoefficients<T>& coefficients)
{
    const AdamWStreams<T> streams{tensor.master.mutable_data_ptr<T>() + range.begin,
                                  moments.average.mutable_data_ptr<T>() + range.begin,
                                  moments.squareAverage.mutable_data_ptr<T>() + range.begin,
                                  tensor.gradient.const_data_ptr<T>() + range.begin};
    const std::int64_t count = range.end - range.begin;
    if constexpr (std::is_same_v<T, float>) {
        if (hasBFloat16Copy(tensor)) {
            auto* working = static_cast<std::uint16_t*>(tensor.working.mutable_data_ptr()) + range.begin;
            return updateAdamW(streams, working, count, coefficients);
        }
    }
    updateAdamW(streams, count, coefficients);
    refreshWorkingCopy(tensor, range);
}

} // namespace

AdamW::AdamW(const OptimizerSpec& spec, std::vector<OptimizedTensor> tensors)
    : m_spec(spec), m_tensors(std::move(tensors)), m_moments(m_tensors), m_ranges(rangesOf(m_tensors))
{
}

void AdamW::step(double learningRate, double gradientScale)
{
    ++m_moments.steps;
    const double stepSize = learningRate / m_moments.biasCorrection(m_spec.beta1);
    const double rootCorrection = 1.0 / std::sqrt(m_moments.biasCorrection(m_spec.beta2));
    forEachRange(m_ranges, [&](std::size_t index) {
        const ElementRange& range = m_ranges[index];
        const OptimizedTensor& tensor = m_tensors[range.tensor];
        const double shrink = tensor.decays ? 1.0 - learningRate * m_spec.weightDecay : 1.0;
        AT_DISPATCH_FLOATING_TYPES(tensor.master.scalar_type(), "AdamW", [&] {
            const auto as = [](double value) { return static_cast<scalar_t>(value); };
            updateRange<scalar_t>(tensor, m_moments.of(range.tensor), range,
                                  {as(gradientScale), as(1.0 - m_spec.beta1), as(m_spec.beta2),
                                   as(1.0 - m_spec.beta2), as(stepSize), as(rootCorrection),
                                   as(m_spec.epsilon), as(shrink)});
        });
    });
}

} // namespace trainyard
