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

// First pass: new moments, and the sums of squares of every logical tensor's weights and update, by
// parameter.
std::vector<double> Lamb::advanceMoments(double gradientScale)
{
    std::vector<LambSums> ofRange(m_ranges.size());
    forEachRange(m_ranges, [&](std::size_t index) {
        const ElementRange& range = m_ranges[index];
        const OptimizedTensor& tensor = m_tensors[range.tensor];
        const Moments::Pair& moments = m_moments.of(range.tensor);
        AT_DISPATCH_FLOATING_TYPES(tensor.master.scalar_type(), "LAMB", [&] {
            ofRange[index] =
                advanceLamb(tensor.master.const_data_ptr<scalar_t>() + range.begin,
                            moments.average.mutable_data_ptr<scalar_t>() + range.begin,
                            moments.squareAverage.mutable_data_ptr<scalar_t>() + range.begin,
                            tensor.gradient.const_data_ptr<scalar_t>() + range.begin, range.end - range.begin,
                            coefficients<scalar_t>(m_spec, m_moments, gradientScale, decayOf(tensor)));
        });
    });
    std::vector<double> sums = sumsByParameter(m_tensors, m_ranges, ofRange);
    m_sums.complete(sums, 2);
    return sums;
}

double Lamb::trustRatio(const OptimizedTensor& tensor, const std::vector<double>& sums) const
{
    const double weight = sums[2 * tensor.parameter];
    const double update = sums[2 * tensor.parameter + 1];
    const bool isExcluded = m_spec.kind == OptimizerKind::Lamb && decayOf(tensor) == 0.0;
    if (isExcluded || weight == 0.0 || update == 0.0)
        return 1.0;
    return std::sqrt(weight) / std::sqrt(update);
}

void Lamb::step(double learningRate, double gradientScale)
{
    ++m_moments.steps;
    const std::vector<double> sums = advanceMoments(gradientScale);
    forEachRange(m_ranges, [&](std::size_t index) {
        const ElementRange& range = m_ranges[index];
        const OptimizedTensor& tensor = m_tensors[range.tensor];
        const Moments::Pair& moments = m_moments.of(range.tensor);
        const double rate = learningRate * trustRatio(tensor, sums);
        AT_DISPATCH_FLOATING_TYPES(tensor.master.scalar_type(), "LAMB", [&] {
            applyRange(tensor, moments, range,
                       coefficients<scalar_t>(m_spec, m_moments, 1.0, decayOf(tensor)),
                       static_cast<scalar_t>(rate));
        });
    });
}

} // namespace trainyard
