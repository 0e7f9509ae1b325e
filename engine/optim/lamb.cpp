#include "engine/optim/lamb.h"

#include <cmath>

#include <ATen/Dispatch.h>

#include "engine/optim/range_views.h"

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

} // namespace

Lamb::Lamb(const OptimizerSpec& spec, std::vector<OptimizedTensor> tensors, LogicalSums sums,
           const UpdateKernels& kernels)
    : m_spec(spec)
    , m_sums(std::move(sums))
    , m_tensors(std::move(tensors))
    , m_moments(m_tensors)
    , m_ranges(m_tensors, kernels)
{
}

// First pass: new moments, and the sums of squares of every logical tensor's weights and update, by
// parameter.
std::vector<double> Lamb::advanceMoments(double gradientScale)
{
    std::vector<double> sums = m_ranges.sum(2, [&](const ElementRange& range, double* ofRange) {
        const OptimizedTensor& tensor = m_tensors[range.tensor];
        AT_DISPATCH_FLOATING_TYPES(tensor.master.scalar_type(), "LAMB", [&] {
            m_ranges.kernels().of<scalar_t>().advanceLamb(
                streamsOf<scalar_t>(tensor, m_moments.of(range.tensor), range), range.count(),
                coefficients<scalar_t>(m_spec, m_moments, gradientScale, decayOf(tensor)), ofRange);
        });
    });
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
    m_ranges.forEach([&](const ElementRange& range) {
        const OptimizedTensor& tensor = m_tensors[range.tensor];
        const double rate = learningRate * trustRatio(tensor, sums);
        AT_DISPATCH_FLOATING_TYPES(tensor.master.scalar_type(), "LAMB", [&] {
            m_ranges.kernels().of<scalar_t>().applyLamb(
                streamsOf<scalar_t>(tensor, m_moments.of(range.tensor), range), bfloat16CopyOf(tensor, range),
                range.count(), coefficients<scalar_t>(m_spec, m_moments, 1.0, decayOf(tensor)),
                static_cast<scalar_t>(rate));
        });
        refreshOtherCopy(tensor, range);
    });
}

} // namespace trainyard
