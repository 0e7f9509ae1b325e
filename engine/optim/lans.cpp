#include "engine/optim/lans.h"

#include <cmath>

#include <ATen/Dispatch.h>

#include "engine/optim/gradient_norm.h"
#include "engine/optim/range_views.h"

namespace trainyard {

namespace {

double trustRatio(double weightSquares, double directionSquares)
{
    if (weightSquares == 0.0 || directionSquares == 0.0)
        return 1.0;
    return std::sqrt(weightSquares) / std::sqrt(directionSquares);
}

} // namespace

Lans::Lans(const OptimizerSpec& spec, std::vector<OptimizedTensor> tensors, LogicalSums sums,
           const UpdateKernels& kernels)
    : m_spec(spec)
    , m_sums(std::move(sums))
    , m_tensors(std::move(tensors))
    , m_moments(m_tensors)
    , m_ranges(m_tensors, kernels)
{
}

template <typename T>
LansCoefficients<T> Lans::coefficients(const OptimizedTensor& tensor,
                                       const std::vector<double>& squares) const
{
    const auto as = [](double value) { return static_cast<T>(value); };
    const double square = squares[tensor.parameter];
    return {as(square > 0.0 ? 1.0 / std::sqrt(square) : 0.0),
            as(1.0 - m_spec.beta1),
            as(m_spec.beta2),
            as(1.0 - m_spec.beta2),
            as(1.0 / m_moments.biasCorrection(m_spec.beta1)),
            as(1.0 / std::sqrt(m_moments.biasCorrection(m_spec.beta2))),
            as(m_spec.epsilon),
            as(tensor.decays ? m_spec.weightDecay : 0.0)};
}

// New moments; sums of squares of w, r and c of every logical tensor, by parameter.
std::vector<double> Lans::advanceMoments(const std::vector<double>& gradientSquares)
{
    std::vector<double> sums = m_ranges.sum(3, [&](const ElementRange& range, double* ofRange) {
        const OptimizedTensor& tensor = m_tensors[range.tensor];
        AT_DISPATCH_FLOATING_TYPES(tensor.master.scalar_type(), "LANS", [&] {
            m_ranges.kernels().of<scalar_t>().advanceLans(
                streamsOf<scalar_t>(tensor, m_moments.of(range.tensor), range), range.count(),
                coefficients<scalar_t>(tensor, gradientSquares), ofRange);
        });
    });
    m_sums.complete(sums, 3);
    return sums;
}

void Lans::moveWeights(double learningRate, const std::vector<double>& gradientSquares,
                       const std::vector<double>& sums)
{
    m_ranges.forEach([&](const ElementRange& range) {
        const OptimizedTensor& tensor = m_tensors[range.tensor];
        const double* squares = &sums[3 * tensor.parameter];
        const double momentum = m_spec.beta1 * trustRatio(squares[0], squares[1]);
        const double gradient = (1.0 - m_spec.beta1) * trustRatio(squares[0], squares[2]);
        AT_DISPATCH_FLOATING_TYPES(tensor.master.scalar_type(), "LANS", [&] {
            const LansRates<scalar_t> rates{static_cast<scalar_t>(learningRate * momentum),
                                            static_cast<scalar_t>(learningRate * gradient)};
            m_ranges.kernels().of<scalar_t>().applyLans(
                streamsOf<scalar_t>(tensor, m_moments.of(range.tensor), range), range.count(),
                coefficients<scalar_t>(tensor, gradientSquares), rates);
        });
        refreshWorkingCopy(tensor, range);
    });
}

void Lans::step(double learningRate, double)
{
    ++m_moments.steps;
    const std::vector<double> gradientSquares = squaredGradientNorms(m_tensors, m_sums, m_ranges.kernels());
    const std::vector<double> sums = advanceMoments(gradientSquares);
    moveWeights(learningRate, gradientSquares, sums);
}

} // namespace trainyard
