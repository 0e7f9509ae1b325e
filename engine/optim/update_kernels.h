#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <type_traits>

#include "engine/optim/adamw_kernel.h"
#include "engine/optim/lamb_kernel.h"
#include "engine/optim/lans_kernel.h"
#include "engine/optim/sgd_kernel.h"

namespace trainyard {

struct Device;

/// Where the elements of a range lie for optimizers with two moments; the memory of the streams does not
/// overlap.
template <typename T>
using MomentStreams = AdamWStreams<T>;

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
    /// Columns: squares of w and u.
    virtual void advanceLamb(const MomentStreams<T>& s, std::int64_t count, const LambCoefficients<T>& c,
                             double* sums) const = 0;
    virtual void applyLamb(const MomentStreams<T>& s, std::uint16_t* working, std::int64_t count,
                           const LambCoefficients<T>& c, T rate) const = 0;
    /// Columns: squares of w, r and c.
    virtual void advanceLans(const MomentStreams<T>& s, std::int64_t count, const LansCoefficients<T>& c,
                             double* sums) const = 0;
    virtual void applyLans(const MomentStreams<T>& s, std::int64_t count, const LansCoefficients<T>& c,
                           const LansRates<T>& rates) const = 0;
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
    /// Calls handle(index) for all indices below `count`, perhaps on several threads.
    virtual void forEach(std::size_t count, const std::function<void(std::size_t)>& handle) const = 0;
};

/// The processor's, on ATen's threads.
const UpdateKernels& processorUpdates();
/// Those of the device.
const UpdateKernels& updatesOf(const Device& device);

} // namespace trainyard
