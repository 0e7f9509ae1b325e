#include "engine/optim/lamb.h"

#include <cmath>

#include <ATen/Dispatch.h>

#include "engine/optim/gradient_norm.h"

namespace trainyard {

namespace {

/// ||w|| / ||direction||, from their squares.
double trustRatio(double weight, double direction)
{
    if (weight == 0.0 || direction == 0.0)
        return 1.0;
    return std::sqrt(weight) / std::sqrt(direction);
}

} // namespace

Lamb::Lamb(const OptimizerSpec& spec, std::vector<OptimizedTensor> tensors, LogicalSums sums,
           const UpdateKernels& kernels)
    : m_spec(spec)
    , m_directions(spec.kind == OptimizerKind::Lans ? LambDirections::MomentumAndGradient
                                                    : LambDirections::Update)
    , m_sums(std::move(sums))
    , m_tensors(std::move(tensors))
    , m_moments(m_tensors)
    , m_ranges(m_tensors, kernels)
{
}

Lamb::GradientScales Lamb::gradientScales(double gradientScale) const
{
    if (m_spec.kind != OptimizerKind::Lans)
        return [gradientScale](const OptimizedTensor&) { return gradientScale; };
    return [squares =
                squaredGradientNorms(m_tensors, m_sums, m_ranges.kernels())](const OptimizedTensor& tensor) {
        const double square = squares[tensor.parameter];
        return square > 0.0 ? 1.0 / std::sqrt(square) : 0.0;
    };
}

template <typename T>
LambCoefficients<T> Lamb::coefficients(const OptimizedTensor& tensor, double gradientScale) const
{
    const auto as = [](double value) { return static_cast<T>(value); };
    return {as(gradientScale),
            as(1.0 - m_spec.beta1),
            as(m_spec.beta2),
            as(1.0 - m_spec.beta2),
            as(1.0 / m_moments.biasCorrection(m_spec.beta1)),
            as(1.0 / std::sqrt(m_moments.biasCorrection(m_spec.beta2))),
            as(m_spec.epsilon),
            as(decayOf(tensor))};
}

// New moments; the sums of squares of every logical tensor's weights and directions, by parameter. The
// weights wait for the next pass, because the ratios need the norms of whole tensors, over all ranks.
std::vector<double> Lamb::advanceMoments(const GradientScales& scales)
{
    const std::size_t columns = lambColumns(m_directions);
    std::vector<double> sums = m_ranges.sum(columns, [&](const ElementRange& range, double* ofRange) {
        const OptimizedTensor& tensor = m_tensors[range.tensor];
        AT_DISPATCH_FLOATING_TYPES(tensor.master.scalar_type(), "LAMB", [&] {
            m_ranges.kernels().of<scalar_t>().advanceLamb(
                m_directions, m_moments.streams<scalar_t>(tensor, range), range.count(),
                coefficients<scalar_t>(tensor, scales(tensor)), ofRange);
        });
    });
    m_sums.complete(sums, columns);
    return sums;
}

/// `squares`: of the norms of w and of the directions. To be multiplied by the learning rate.
LambRates<double> Lamb::rates(const OptimizedTensor& tensor, const double* squares) const
{
    const double first = trustRatio(squares[0], squares[1]);
    if (m_spec.kind == OptimizerKind::Lans)
        return {m_spec.beta1 * first, (1.0 - m_spec.beta1) * trustRatio(squares[0], squares[2])};
    const bool isExcluded = m_spec.kind == OptimizerKind::Lamb && decayOf(tensor) == 0.0;
    return {isExcluded ? 1.0 : first, 0.0};
}

void Lamb::step(double learningRate, double gradientScale)
{
    ++m_moments.steps;
    const GradientScales scales = gradientScales(gradientScale);
    const std::vector<double> sums = advanceMoments(scales);
    const auto update = [&](const ElementRange& range) {
        const OptimizedTensor& tensor = m_tensors[range.tensor];
        const auto [first, second] = rates(tensor, &sums[lambColumns(m_directions) * tensor.parameter]);
        AT_DISPATCH_FLOATING_TYPES(tensor.master.scalar_type(), "LAMB", [&, first = first, second = second] {
            m_ranges.kernels().of<scalar_t>().applyLamb(
                m_directions, m_moments.streams<scalar_t>(tensor, range), bfloat16CopyOf(tensor, range),
                range.count(), coefficients<scalar_t>(tensor, scales(tensor)),
                {static_cast<scalar_t>(learningRate * first), static_cast<scalar_t>(learningRate * second)});
        });
    };
    m_ranges.forEach(update,
                     [&](const ElementRange& range) { refreshOtherCopy(m_tensors[range.tensor], range); });
}

} // namespace trainyard
