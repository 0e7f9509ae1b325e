#include "engine/optim/lans_kernel.h"

#include "engine/base/vector_clones.h"
#include "engine/optim/update_elements.h"

namespace trainyard {

namespace {

// Eight partial sums per norm: fixed order of addition, and room for vector registers.
constexpr std::int64_t kPartialSums = 8;

template <typename T>
inline __attribute__((always_inline)) LansSums
advance(const T* __restrict weight, T* __restrict average, T* __restrict squareAverage,
        const T* __restrict gradient, std::int64_t count, const LansCoefficients<T>& c)
{
    double weightSums[kPartialSums] = {};
    double momentumSums[kPartialSums] = {};
    double gradientSums[kPartialSums] = {};
    const auto element = [&](std::int64_t i, std::int64_t lane) {
        advanceMoments(average[i], squareAverage[i], gradient[i] * c.normalisation, c);
        const auto d = lansDirections(average[i], squareAverage[i], gradient[i], weight[i], c);
        weightSums[lane] += squareOf(weight[i]);
        momentumSums[lane] += squareOf(d.momentum);
        gradientSums[lane] += squareOf(d.gradient);
    };
    std::int64_t i = 0;
    for (; i + kPartialSums <= count; i += kPartialSums) {
        for (std::int64_t lane = 0; lane < kPartialSums; ++lane)
            element(i + lane, lane);
    }
    for (; i < count; ++i)
        element(i, 0);
    LansSums sums{};
    for (std::int64_t lane = 0; lane < kPartialSums; ++lane) {
        sums[0] += weightSums[lane];
        sums[1] += momentumSums[lane];
        sums[2] += gradientSums[lane];
    }
    return sums;
}

template <typename T>
inline __attribute__((always_inline)) void apply(T* __restrict weight, const T* __restrict average,
                                                 const T* __restrict squareAverage,
                                                 const T* __restrict gradient, std::int64_t count,
                                                 const LansCoefficients<T>& c, const LansRates<T>& rates)
{
    for (std::int64_t i = 0; i < count; ++i) {
        const auto d = lansDirections(average[i], squareAverage[i], gradient[i], weight[i], c);
        weight[i] -= rates.momentum * d.momentum + rates.gradient * d.gradient;
    }
}

} // namespace

TRAINYARD_VECTOR_CLONES
LansSums advanceLans(const float* w, float* m, float* v, const float* g, std::int64_t count,
                     const LansCoefficients<float>& c)
{
    return advance(w, m, v, g, count, c);
}

TRAINYARD_VECTOR_CLONES
LansSums advanceLans(const double* w, double* m, double* v, const double* g, std::int64_t count,
                     const LansCoefficients<double>& c)
{
    return advance(w, m, v, g, count, c);
}

TRAINYARD_VECTOR_CLONES
void applyLans(float* w, const float* m, const float* v, const float* g, std::int64_t count,
               const LansCoefficients<float>& c, const LansRates<float>& rates)
{
    apply(w, m, v, g, count, c, rates);
}

TRAINYARD_VECTOR_CLONES
void applyLans(double* w, const double* m, const double* v, const double* g, std::int64_t count,
               const LansCoefficients<double>& c, const LansRates<double>& rates)
{
    apply(w, m, v, g, count, c, rates);
}

} // namespace trainyard
