#include "engine/optim/adamw_kernel.h"

#include "engine/base/kernel.h"
#include "engine/optim/update_elements.h"

namespace trainyard {

namespace {

// Streams as parameters of their own, for only there the compiler believes that they do not overlap.
TRAINYARD_VECTOR_CLONES
void update(float* __restrict w, float* __restrict m, float* __restrict v, const float* __restrict g,
            std::int64_t count, const AdamWCoefficients<float>& c)
{
    for (std::int64_t i = 0; i < count; ++i)
        w[i] = adamWElement(w[i], m[i], v[i], g[i], c);
}

TRAINYARD_VECTOR_CLONES
void update(double* __restrict w, double* __restrict m, double* __restrict v, const double* __restrict g,
            std::int64_t count, const AdamWCoefficients<double>& c)
{
    for (std::int64_t i = 0; i < count; ++i)
        w[i] = adamWElement(w[i], m[i], v[i], g[i], c);
}

TRAINYARD_VECTOR_CLONES
void update(float* __restrict w, std::uint16_t* __restrict working, float* __restrict m, float* __restrict v,
            const float* __restrict g, std::int64_t count, const AdamWCoefficients<float>& c)
{
    for (std::int64_t i = 0; i < count; ++i) {
        const float weight = adamWElement(w[i], m[i], v[i], g[i], c);
        w[i] = weight;
        working[i] = bfloat16Bits(weight);
    }
}

} // namespace

void updateAdamW(const AdamWStreams<float>& s, std::int64_t count, const AdamWCoefficients<float>& c)
{
    update(s.weight, s.average, s.squareAverage, s.gradient, count, c);
}

void updateAdamW(const AdamWStreams<double>& s, std::int64_t count, const AdamWCoefficients<double>& c)
{
    update(s.weight, s.average, s.squareAverage, s.gradient, count, c);
}

void updateAdamW(const AdamWStreams<float>& s, std::uint16_t* working, std::int64_t count,
                 const AdamWCoefficients<float>& c)
{
    update(s.weight, working, s.average, s.squareAverage, s.gradient, count, c);
}

} // namespace trainyard
