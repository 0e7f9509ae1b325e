#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <type_traits>

namespace trainyard {

struct Device;

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

/// The update directions of LAMB; lamb.h has the formulas.
enum class LambDirections : std::uint8_t {
    Update,              ///< u of LAMB
    MomentumAndGradient, ///< r and c of LANS
};
/// Columns of the pass that sums: squares of w, and of u or r and c.
constexpr std::size_t lambColumns(LambDirections directions)
{
    return directions == LambDirections::Update ? 2 : 3;
}

/// Constants of one LAMB or LANS update.
template <typename T>
struct LambCoefficients {
    T gradientScale; ///< LANS: 1 / ||g||
    T share1;        ///< 1 - beta1, rounded once: in float32 the difference would lose five digits
    T beta2;
    T share2;            ///< 1 - beta2
    T averageCorrection; ///< 1 / (1 - beta1^t)
    T rootCorrection;    ///< 1 / sqrt(1 - beta2^t)
    T epsilon;
    T decay; ///< lambda, 0 for tensors without weight decay
};

/// The factors of the directions.
template <typename T>
struct LambRates {
    T first;  ///< of u or r
    T second; ///< of c
};

/// Constants of one SGD update; sgd.h has the formula.
template <typename T>
struct SgdCoefficients {
    T gradientScale;
    T momentum;
    T decay; ///< lambda, 0 for tensors without weight decay
    T rate;
};

/// Where the elements of a range are, for optimizers with two moments; the memory of the streams does not
/// overlap.
template <typename T>
struct MomentStreams {
    T* weight;
    T* average;
    T* squareAverage;
    const T* gradient;
};

/// The optimizers' passes over one range of float32 or float64 numbers; the header of each optimizer has its
/// formula. `working`, where it is not null, gets the new weights as bfloat16 bits; float32 only.
///
/// A pass that sums adds for each of its columns c to sums[slot * columns + c], in as many slots as
/// UpdateKernels::sumSlots() says; all were zero before. Which element counts in which slot depends on the
/// number of elements alone.
template <typename T>
class UpdatePasses {
public:
    virtual ~UpdatePasses() = default;

    virtual void adamW(const MomentStreams<T>& s, std::uint16_t* working, std::int64_t count,
                       const AdamWCoefficients<T>& c) const = 0;
    /// Advances the moments by the gradient. Columns: lambColumns().
    virtual void advanceLamb(LambDirections directions, const MomentStreams<T>& s, std::int64_t count,
                             const LambCoefficients<T>& c, double* sums) const = 0;
    /// Moves the weights, along directions computed again from the advanced moments.
    virtual void applyLamb(LambDirections directions, const MomentStreams<T>& s, std::uint16_t* working,
                           std::int64_t count, const LambCoefficients<T>& c,
                           const LambRates<T>& rates) const = 0;
    /// `momentum`: null without.
    virtual void sgd(T* weight, T* momentum, const T* gradient, std::int64_t count,
                     const SgdCoefficients<T>& c) const = 0;
    /// One column.
    virtual void squares(const T* values, std::int64_t count, double* sums) const = 0;
};

/// The passes where the tensors lie: on the processor, or on a device, which runs them behind whatever the
/// calling thread gave it before.
class UpdateKernels {
public:
    virtual ~UpdateKernels() = default;

    virtual const UpdatePasses<float>& floats() const = 0;
    virtual const UpdatePasses<double>& doubles() const = 0;
    template <typename T>
    const UpdatePasses<T>& of() const
    {
        if constexpr (std::is_same_v<T, float>)
            return floats();
        else
            return doubles();
    }

    /// Most elements of a range.
    virtual std::int64_t rangeElements() const = 0;
    virtual std::size_t sumSlots() const = 0;
    /// Calls pass(index) for all indices below `count`, perhaps on several threads, and after(index) when
    /// what the passes of that index change may be used: a device may run those of several indices together.
    virtual void forEach(std::size_t count, const std::function<void(std::size_t)>& pass,
                         const std::function<void(std::size_t)>& after) const = 0;
};

/// The processor's, on ATen's threads.
const UpdateKernels& processorUpdates();
/// Those of the device.
const UpdateKernels& updatesOf(const Device& device);

} // namespace trainyard
