#pragma once

#include <cmath>

#include "engine/base/kernel.h"
#include "engine/optim/update_kernels.h"

// What the optimizers do with one element, for processors and devices; the header of each optimizer has its
// formula. Always inlined, so that loops over them become vector code.

namespace trainyard {

/// Advances both moments; the new weight.
template <typename T>
TRAINYARD_ALWAYS_INLINE T adamWElement(T weight, T& average, T& squareAverage, T gradient,
                                       const AdamWCoefficients<T>& c)
{
    const T g = gradient * c.gradientScale;
    const T m = average + c.share1 * (g - average);
    const T v = c.beta2 * squareAverage + c.share2 * g * g;
    average = m;
    squareAverage = v;
    return c.shrink * weight - c.stepSize * m / (std::sqrt(v) * c.rootCorrection + c.epsilon);
}

/// Advances both moments by the scaled gradient.
template <typename T>
TRAINYARD_ALWAYS_INLINE void advanceMoments(T& average, T& squareAverage, T g, const LambCoefficients<T>& c)
{
    average += c.share1 * (g - average);
    squareAverage = c.beta2 * squareAverage + c.share2 * g * g;
}

template <typename T>
struct LambDirection {
    T first;  ///< u of LAMB, r of LANS
    T second; ///< c of LANS, 0 in LAMB
};

template <LambDirections directions, typename T>
TRAINYARD_ALWAYS_INLINE LambDirection<T> lambDirection(T average, T squareAverage, T gradient, T weight,
                                                       const LambCoefficients<T>& c)
{
    const T root = std::sqrt(squareAverage) * c.rootCorrection + c.epsilon;
    if constexpr (directions == LambDirections::Update) {
        return {average * c.averageCorrection / root + c.decay * weight, T(0)};
    } else {
        const T scale = T(1) / root; // one division for two directions
        const T decay = c.decay * weight;
        return {average * c.averageCorrection * scale + decay, gradient * c.gradientScale * scale + decay};
    }
}

/// The new weight.
template <LambDirections directions, typename T>
TRAINYARD_ALWAYS_INLINE T lambElement(T average, T squareAverage, T gradient, T weight,
                                      const LambCoefficients<T>& c, const LambRates<T>& rates)
{
    const LambDirection<T> d = lambDirection<directions>(average, squareAverage, gradient, weight, c);
    if constexpr (directions == LambDirections::Update)
        return weight - rates.first * d.first;
    else
        return weight - (rates.first * d.first + rates.second * d.second);
}

/// g + lambda w of SGD.
template <typename T>
TRAINYARD_ALWAYS_INLINE T sgdDirection(T gradient, T weight, const SgdCoefficients<T>& c)
{
    return gradient * c.gradientScale + c.decay * weight;
}

template <typename T>
TRAINYARD_ALWAYS_INLINE double squareOf(T value)
{
    return static_cast<double>(value) * static_cast<double>(value);
}

} // namespace trainyard
