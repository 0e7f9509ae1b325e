#include "engine/optim/gradient_norm.h"

#include <cmath>

#include <ATen/Dispatch.h>

#include "engine/base/check.h"
#include "engine/base/vector_clones.h"
#include "engine/optim/ranges.h"

namespace trainyard {

namespace {

constexpr std::int64_t kPartialSums = 16; // fixed order of addition, and room for vector registers

template <typename T>
inline __attribute__((always_inline)) double sumOfSquares(const T* values, std::int64_t count)
{
    double sums[kPartialSums] = {};
    std::int64_t i = 0;
    for (; i + kPartialSums <= count; i += kPartialSums) {
        for (std::int64_t lane = 0; lane < kPartialSums; ++lane)
            sums[lane] += static_cast<double>(values[i + lane]) * static_cast<double>(values[i + lane]);
    }
    for (; i < count; ++i)
        sums[0] += static_cast<double>(values[i]) * static_cast<double>(values[i]);
    double sum = 0;
    for (const double partial : sums)
        sum += partial;
    return sum;
}

TRAINYARD_VECTOR_CLONES
double squares(const float* values, std::int64_t count)
{
    return sumOfSquares(values, count);
}

TRAINYARD_VECTOR_CLONES
double squares(const double* values, std::int64_t count)
{
    return sumOfSquares(values, count);
}

// By parameter, as far as this rank owns it.
std::vector<double> squaredNorms(const std::vector<OptimizedTensor>& tensors)
{
    const std::vector<ElementRange> ranges = rangesOf(tensors);
    std::vector<std::array<double, 1>> ofRange(ranges.size());
    forEachRange(ranges, [&](std::size_t index) {
        const ElementRange& range = ranges[index];
        const at::Tensor& gradient = tensors[range.tensor].gradient;
        TRAINYARD_CHECK_MSG(gradient.is_contiguous(), tensors[range.tensor].name);
        AT_DISPATCH_FLOATING_TYPES(gradient.scalar_type(), "squaredNorm", [&] {
            ofRange[index] = {
                squares(gradient.const_data_ptr<scalar_t>() + range.begin, range.end - range.begin)};
        });
    });
    return sumsByParameter(tensors, ranges, ofRange);
}

} // namespace

std::vector<double> squaredGradientNorms(const std::vector<OptimizedTensor>& tensors, const LogicalSums& sums)
{
    std::vector<double> squares = squaredNorms(tensors);
    sums.complete(squares, 1);
    return squares;
}

double squaredGradientNorm(const std::vector<OptimizedTensor>& tensors, const LogicalSums& sums)
{
    return sums.total(squaredGradientNorms(tensors, sums));
}

double globalGradientNorm(const std::vector<OptimizedTensor>& tensors, const LogicalSums& sums)
{
    return std::sqrt(squaredGradientNorm(tensors, sums));
}

double clipCoefficient(double norm, const OptimizerSpec& spec)
{
    if (spec.clipNorm <= 0.0)
        return 1.0;
    const double guard = spec.kind == OptimizerKind::Lamb ? 0.0 : 1e-6;
    const double coefficient = spec.clipNorm / (norm + guard);
    return coefficient < 1.0 ? coefficient : 1.0;
}

} // namespace trainyard
