#include "engine/optim/lamb_kernel.h"

#include "engine/base/vector_clones.h"
#include "engine/optim/bfloat16.h"
#include "engine/optim/update_elements.h"

namespace trainyard {

namespace {

// Eight partial sums per norm: fixed order of addition, and room for vector registers.
constexpr std::int64_t kPartialSums = 8;

template <typename T>
inline __attribute__((always_inline)) LambSums
advance(const T* __restrict weight, T* __restrict average, T* __restrict squareAverage,
        const T* __restrict gradient, std::int64_t count, const LambCoefficients<T>& c)
{
    double weightSums[kPartialSums] = {};
    double updateSums[kPartialSums] = {};
    const auto element = [&](std::int64_t i, std::int64_t lane) {
        advanceMoments(average[i], squareAverage[i], gradient[i] * c.gradientScale, c);
        weightSums[lane] += squareOf(weight[i]);
        updateSums[lane] += squareOf(lambDirection(average[i], squareAverage[i], weight[i], c));
    };
    std::int64_t i = 0;
    for (; i + kPartialSums <= count; i += kPartialSums) {
        for (std::int64_t lane = 0; lane < kPartialSums; ++lane)
            element(i + lane, lane);
    }
    for (; i < count; ++i)
        element(i, 0);
    LambSums sums{};
    for (std::int64_t lane = 0; lane < kPartialSums; ++lane) {
        sums[0] += weightSums[lane];
        sums[1] += updateSums[lane];
    }
    return sums;
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
