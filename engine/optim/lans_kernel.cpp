#include "engine/optim/lans_kernel.h"

#include "engine/base/kernel.h"
#include "engine/optim/partial_sums.h"
#include "engine/optim/update_elements.h"

namespace trainyard {

namespace {

template <typename T>
inline __attribute__((always_inline)) LansSums
advance(const T* __restrict weight, T* __restrict average, T* __restrict squareAverage,
        const T* __restrict gradient, std::int64_t count, const LansCoefficients<T>& c)
{
    return sumsOfSquares<3>(
        count, [&](std::int64_t i, const auto& add) __attribute__((always_inline)) {
            advanceMoments(average[i], squareAverage[i], gradient[i] * c.normalisation, c);
            const auto d = lansDirections(average[i], squareAverage[i], gradient[i], weight[i], c);
            add(0, static_cast<double>(weight[i]));
            add(1, static_cast<double>(d.momentum));
            add(2, static_cast<double>(d.gradient));
        });
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
