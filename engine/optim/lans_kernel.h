#pragma once

#include <array>
#include <cstdint>

namespace trainyard {

/// Constants of one LANS update; lans.h has the formula.
template <typename T>
struct LansCoefficients {
    T normalisation; ///< 1 / ||g||
    T share1;        ///< 1 - beta1, rounded once: in float32 the difference would lose five digits
    T beta2;
    T share2;            ///< 1 - beta2
    T averageCorrection; ///< 1 / (1 - beta1^t)
    T rootCorrection;    ///< 1 / sqrt(1 - beta2^t)
    T epsilon;
    T decay; ///< lambda, 0 for tensors without weight decay
};

/// Sums of squares of w, r and c, in float64.
using LansSums = std::array<double, 3>;

/// Advances the moments m and v of `count` elements by the gradient g and sums the squares of w, r and c.
LansSums advanceLans(const float* w, float* m, float* v, const float* g, std::int64_t count,
                     const LansCoefficients<float>& c);
LansSums advanceLans(const double* w, double* m, double* v, const double* g, std::int64_t count,
                     const LansCoefficients<double>& c);

/// What r and c are multiplied with.
template <typename T>
struct LansRates {
    T momentum; ///< lr * beta1 * ||w|| / ||r||
    T gradient; ///< lr * (1 - beta1) * ||w|| / ||c||
};

/// w <- w - rates.momentum * r - rates.gradient * c, from the advanced moments.
void applyLans(float* w, const float* m, const float* v, const float* g, std::int64_t count,
               const LansCoefficients<float>& c, const LansRates<float>& rates);
void applyLans(double* w, const double* m, const double* v, const double* g, std::int64_t count,
               const LansCoefficients<double>& c, const LansRates<double>& rates);

} // namespace trainyard
