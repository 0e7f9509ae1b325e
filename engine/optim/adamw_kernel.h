#pragma once

#include <cstdint>

namespace trainyard {

/// Constants of one AdamW update; adamw.h has the formula.
template <typename T>
struct AdamWCoefficients {
    T gradientScale;
    T share1; ///< 1 - beta1, rounded once: in float32 the difference would lose five digits
    T beta2;
    T share2;         ///< 1 - beta2
    T stepSize;       ///< lr / (1 - beta1^t)
    T rootCorrection; ///< 1 / sqrt(1 - beta2^t)
    T epsilon;
    T shrink; ///< 1 - lr * lambda
};

/// Where the elements of a range lie; the memory of the streams does not overlap.
template <typename T>
struct AdamWStreams {
    T* weight;
    T* average;
    T* squareAverage;
    const T* gradient;
};

/// Updates `count` elements in one pass.
void updateAdamW(const AdamWStreams<float>& s, std::int64_t count, const AdamWCoefficients<float>& c);
void updateAdamW(const AdamWStreams<double>& s, std::int64_t count, const AdamWCoefficients<double>& c);
/// The same, and writes the new weights as bfloat16 bits to `working`.
void updateAdamW(const AdamWStreams<float>& s, std::uint16_t* working, std::int64_t count,
                 const AdamWCoefficients<float>& c);

} // namespace trainyard
