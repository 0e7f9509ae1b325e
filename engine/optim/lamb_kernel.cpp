#include "engine/optim/lamb_kernel.h"

#include "engine/base/kernel.h"
#include "engine/optim/partial_sums.h"
#include "engine/optim/update_elements.h"

namespace trainyard {

namespace {

template <typename T>
inline __attribute__((always_inline)) LambSums
advance(const T* __restrict weight, T* __restrict average, T* __restrict squareAverage,
        const T* __restrict gradient, std::int64_t count, const LambCoefficients<T>& c)
{
    return sumsOfSquares<2>(
        count, [&](std::int64_t i, const auto& add) __attribute__((always_inline)) {
            advanceMoments(average[i], squareAverage[i], gradient[i] * c.gradientScale, c);
            add(0, static_cast<double>(weight[i]));
            add(1, static_cast<double>(lambDirection(average[i], squareAverage[i], weight[i], c)));
        });
}

} // namespace

TRAINYARD_VECTOR_CLONES
LambSums advanceLamb(const float* w, float* m, float* v, const float* g, std::int64_t count,
                     const LambCoefficients<float>& c)
{
    return advance(w, m, v, g, count, c);
}

TRAINYARD_VECTOR_CLONES
LambSums advanceLamb(const double* w, double* m, double* v, const double* g, std::int64_t count,
                     const LambCoefficients<double>& c)
{
    return advance(w, m, v, g, count, c);
}

TRAINYARD_VECTOR_CLONES
void applyLamb(float* __restrict w, const float* __restrict m, const float* __restrict v, std::int64_t count,
               const LambCoefficients<float>& c, float rate)
{
    for (std::int64_t i = 0; i < count; ++i)
        w[i] -= rate * lambDirection(m[i], v[i], w[i], c);
}

TRAINYARD_VECTOR_CLONES
void applyLamb(double* __restrict w, const double* __restrict m, const double* __restrict v,
               std::int64_t count, const LambCoefficients<double>& c, double rate)
{
    for (std::int64_t i = 0; i < count; ++i)
        w[i] -= rate * lambDirection(m[i], v[i], w[i], c);
}

TRAINYARD_VECTOR_CLONES
void applyLamb(float* __restrict w, std::uint16_t* __restrict working, const float* __restrict m,
               const float* __restrict v, std::int64_t count, const LambCoefficients<float>& c, float rate)
{
    for (std::int64_t i = 0; i < count; ++i) {
        const float weight = w[i] - rate * lambDirection(m[i], v[i], w[i], c);
        w[i] = weight;
        working[i] = bfloat16Bits(weight);
    }
}

} // namespace trainyard
