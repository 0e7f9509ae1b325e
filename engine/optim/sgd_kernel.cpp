#include "engine/optim/sgd_kernel.h"

#include "engine/base/kernel.h"
#include "engine/optim/update_elements.h"

namespace trainyard {

TRAINYARD_VECTOR_CLONES
void updateSgd(float* __restrict w, float* __restrict b, const float* __restrict g, std::int64_t count,
               const SgdCoefficients<float>& c)
{
    for (std::int64_t i = 0; i < count; ++i) {
        b[i] = c.momentum * b[i] + sgdDirection(g[i], w[i], c);
        w[i] -= c.rate * b[i];
    }
}

TRAINYARD_VECTOR_CLONES
void updateSgd(double* __restrict w, double* __restrict b, const double* __restrict g, std::int64_t count,
               const SgdCoefficients<double>& c)
{
    for (std::int64_t i = 0; i < count; ++i) {
        b[i] = c.momentum * b[i] + sgdDirection(g[i], w[i], c);
        w[i] -= c.rate * b[i];
    }
}

TRAINYARD_VECTOR_CLONES
void updateSgd(float* __restrict w, const float* __restrict g, std::int64_t count,
               const SgdCoefficients<float>& c)
{
    for (std::int64_t i = 0; i < count; ++i)
        w[i] -= c.rate * sgdDirection(g[i], w[i], c);
}

TRAINYARD_VECTOR_CLONES
void updateSgd(double* __restrict w, const double* __restrict g, std::int64_t count,
               const SgdCoefficients<double>& c)
{
    for (std::int64_t i = 0; i < count; ++i)
        w[i] -= c.rate * sgdDirection(g[i], w[i], c);
}

} // namespace trainyard
