#pragma once

#include <cmath>

#include "engine/base/kernel.h"
#include "engine/optim/adamw_kernel.h"
#include "engine/optim/lamb_kernel.h"
#include "engine/optim/lans_kernel.h"
#include "engine/optim/sgd_kernel.h"

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

/// Advances both moments by the gradient, which was multiplied by what its optimizer multiplies it by.
template <typename T, typename Coefficients>
TRAINYARD_ALWAYS_INLINE void advanceMoments(T& average, T& squareAverage, T g, const Coefficients& c)
{
    average += c.share1 * (g - average);
    squareAverage = c.beta2 * squareAverage + c.share2 * g * g;
}

/// u of LAMB.
template <typename T>
TRAINYARD_ALWAYS_INLINE T lambDirection(T average, T squareAverage, T weight, const LambCoefficients<T>& c)
{
    return average * c.averageCorrection / (std::sqrt(squareAverage) * c.rootCorrection + c.epsilon) +
           c.decay * weight;
}

template <typename T>
struct LansDirections {
    T momentum; ///< r
    T gradient; ///< c
};

template <typename T>
TRAINYARD_ALWAYS_INLINE LansDirections<T> lansDirections(T average, T squareAverage, T gradient, T weight,
                                                         const LansCoefficients<T>& c)
{
    const T scale = T(1) / (std::sqrt(squareAverage) * c.rootCorrection + c.epsilon);
    const T decay = c.decay * weight;
    return {average * c.averageCorrection * scale + decay, gradient * c.normalisation * scale + decay};
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
