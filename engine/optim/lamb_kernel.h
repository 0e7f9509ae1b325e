#pragma once

#include <array>
#include <cstdint>

namespace trainyard {

/// Constants of one LAMB update; lamb.h has the formula.
template <typename T>
struct LambCoefficients {
    T gradientScale;
    T share1; ///< 1 - beta1, rounded once: in float32 the difference would lose five digits
    T beta2;
    T share2;            ///< 1 - beta2
    T averageCorrection; ///< 1 / (1 - beta1^t)
    T rootCorrection;    ///< 1 / sqrt(1 - beta2^t)
    T epsilon;
    T decay; ///< lambda, 0 for tensors without weight decay
};

/// Sums of squares of w and u, in float64.
using LambSums = std::array<double, 2>;

/// Advances the moments m and v of `count` elements by the gradient g and sums the squares of w and u.
LambSums advanceLamb(const float* w, float* m, float* v, const float* g, std::int64_t count,
                     const LambCoefficients<float>& c);
LambSums advanceLamb(const double* w, double* m, double* v, const double* g, std::int64_t count,
                     const LambCoefficients<double>& c);

/// w <- w - rate * u, with u from the advanced moments.
void applyLamb(float* w, const float* m, const float* v, std::int64_t count, const LambCoefficients<float>& c,
               float rate);
void applyLamb(double* w, const double* m, const double* v, std::int64_t count,
               const LambCoefficients<double>& c, double rate);
/// The same, and writes the new weights as bfloat16 bits to `working`.
void applyLamb(float* w, std::uint16_t* working, const float* m, const float* v, std::int64_t count,
               const LambCoefficients<float>& c, float rate);

} // namespace trainyard
