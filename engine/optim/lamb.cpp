#include "engine/optim/lamb.h"

#include <cmath>

#include <ATen/Dispatch.h>

#include "engine/optim/lamb_kernel.h"
#include "engine/optim/working_copy.h"

namespace trainyard {

namespace {

template <typename T>
LambCoefficients<T> coefficients(const OptimizerSpec& spec, const Moments& moments, double gradientScale,
                                 double decay)
{
    const auto as = [](double value) { return static_cast<T>(value); };
    return {as(gradientScale),
            as(1.0 - spec.beta1),
            as(spec.beta2),
            as(1.0 - spec.beta2),
            as(1.0 / moments.biasCorrection(spec.beta1)),
            as(1.0 / std::sqrt(moments.biasCorrection(spec.beta2))),
            as(spec.epsilon),
            as(decay)};
}

template <typename T>
void applyRange(const OptimizedTensor& tensor, const Moments::Pair& moments, const ElementRange& range,
                const LambCoefficients<T>& coefficients, T rate)
{
    T* weight = tensor.master.mutable_data_ptr<T>() + range.begin;
    const T* average = moments.average.const_data_ptr<T>() + range.begin;
    const T* squareAverage = moments.squareAverage.const_data_ptr<T>() + range.begin;
    const std::int64_t count = range.end - range.begin;
    if constexpr (std::is_same_v<T, float>) {
        if (hasBFloat16Copy(tensor)) {
            auto* working = static_cast<std::uint16_t*>(tensor.working.mutable_data_ptr()) + range.begin;
            return applyLamb(weight, working, average, squareAverage, count, coefficients, rate);
        }
    }
    applyLamb(weight, average, squareAverage, count, coefficients, rate);
    refreshWorkingCopy(tensor, range);
}

} // namespace

Lamb::Lamb(const OptimizerSpec& spec, std::vector<OptimizedTensor> tensors, LogicalSums sums)
    : m_spec(spec)
    , m_sums(std::move(sums))
    , m_tensors(std::move(tensors))
    , m_moments(m_tensors)
    , m_ranges(rangesOf(m_tensors))
{
}

// First pass: new moments, and the norms of every logical tensor's weights and update, by parameter.
std::vector<Lamb::Norms> Lamb::advanceMoments(double gradientScale)
{
    std::vector<Norms> ofRange(m_ranges.size());
    forEachRange(m_ranges, [&](std::size_t index) {
        const ElementRange& range = m_ranges[index];
        const OptimizedTensor& tensor = m_tensors[range.tensor];
        const Moments::Pair& moments = m_moments.of(range.tensor);
        AT_DISPATCH_FLOATING_TYPES(tensor.master.scalar_type(), "LAMB", [&] {
            const LambSums sums =
                advanceLamb(tensor.master.const_data_ptr<scalar_t>() + range.begin,
                            moments.average.mutable_data_ptr<scalar_t>() + range.begin,
                            moments.squareAverage.mutable_data_ptr<scalar_t>() + range.begin,
                            tensor.gradient.const_data_ptr<scalar_t>() + range.begin, range.end - range.begin,
                            coefficients<scalar_t>(m_spec, m_moments, gradientScale, decayOf(tensor)));
            ofRange[index] = {sums.weight, sums.update};
        });
    });
    std::vector<double> sums(2 * parameterCount(m_tensors));
    for (std::size_t index = 0; index < m_ranges.size(); ++index) {
        const std::size_t row = 2 * m_tensors[m_ranges[index].tensor].parameter;
        sums[row] += ofRange[index].weight;
        sums[row + 1] += ofRange[index].update;
    }
    m_sums.complete(sums, 2);
    std::vector<Norms> norms;
    for (std::size_t row = 0; row < sums.size(); row += 2)
        norms.push_back({sums[row], sums[row + 1]});
    return norms;
}

double Lamb::trustRatio(const OptimizedTensor& tensor, const Norms& norms) const
{
    if (decayOf(tensor) == 0.0 || norms.weight == 0.0 || norms.update == 0.0)
        return 1.0;
    return std::sqrt(norms.weight) / std::sqrt(norms.update);
}

void Lamb::step(double learningRate, double gradientScale)
{
    ++m_moments.steps;
    const std::vector<Norms> norms = advanceMoments(gradientScale);
    forEachRange(m_ranges, [&](std::size_t index) {
        const ElementRange& range = m_ranges[index];
        const OptimizedTensor& tensor = m_tensors[range.tensor];
        const Moments::Pair& moments = m_moments.of(range.tensor);
        const double rate = learningRate * trustRatio(tensor, norms[tensor.parameter]);
        AT_DISPATCH_FLOATING_TYPES(tensor.master.scalar_type(), "LAMB", [&] {
            applyRange(tensor, moments, range,
                       coefficients<scalar_t>(m_spec, m_moments, 1.0, decayOf(tensor)),
                       static_cast<scalar_t>(rate));
        });
    });
}

} // namespace trainyard
