#pragma once

#include <cstdint>

namespace trainyard {

/// Constants of one SGD update; sgd.h has the formula.
template <typename T>
struct SgdCoefficients {
    T gradientScale;
    T momentum;
    T decay; ///< lambda, 0 for tensors without weight decay
    T rate;
};

/// Updates `count` elements of the weights w and the momentum b in one pass. Their memory does not overlap.
void updateSgd(float* w, float* b, const float* g, std::int64_t count, const SgdCoefficients<float>& c);
void updateSgd(double* w, double* b, const double* g, std::int64_t count, const SgdCoefficients<double>& c);
/// Without momentum.
void updateSgd(float* w, const float* g, std::int64_t count, const SgdCoefficients<float>& c);
void updateSgd(double* w, const double* g, std::int64_t count, const SgdCoefficients<double>& c);

} // namespace trainyard
