#include <algorithm>

#include <ATen/Parallel.h>

#include "engine/base/check.h"
#include "engine/nn/device.h"
#include "engine/optim/squares_kernel.h"
#include "engine/optim/update_kernels.h"

namespace trainyard {

namespace {

/// Kernels of this folder; sums have one slot.
template <typename T>
class ProcessorPasses final : public UpdatePasses<T> {
public:
    void adamW(const MomentStreams<T>& s, std::uint16_t* working, std::int64_t count,
               const AdamWCoefficients<T>& c) const override
    {
        if constexpr (std::is_same_v<T, float>) {
            if (working)
                return updateAdamW(s, working, count, c);
        }
        updateAdamW(s, count, c);
    }

    void advanceLamb(const MomentStreams<T>& s, std::int64_t count, const LambCoefficients<T>& c,
                     double* sums) const override
    {
        std::ranges::copy(trainyard::advanceLamb(s.weight, s.average, s.squareAverage, s.gradient, count, c),
                          sums);
    }

    void applyLamb(const MomentStreams<T>& s, std::uint16_t* working, std::int64_t count,
                   const LambCoefficients<T>& c, T rate) const override
    {
        if constexpr (std::is_same_v<T, float>) {
            if (working)
                return trainyard::applyLamb(s.weight, working, s.average, s.squareAverage, count, c, rate);
        }
        trainyard::applyLamb(s.weight, s.average, s.squareAverage, count, c, rate);
    }

    void advanceLans(const MomentStreams<T>& s, std::int64_t count, const LansCoefficients<T>& c,
                     double* sums) const override
    {
        std::ranges::copy(trainyard::advanceLans(s.weight, s.average, s.squareAverage, s.gradient, count, c),
                          sums);
    }

    void applyLans(const MomentStreams<T>& s, std::int64_t count, const LansCoefficients<T>& c,
                   const LansRates<T>& rates) const override
    {
        trainyard::applyLans(s.weight, s.average, s.squareAverage, s.gradient, count, c, rates);
    }

    void sgd(T* weight, T* momentum, const T* gradient, std::int64_t count,
             const SgdCoefficients<T>& c) const override
    {
        if (momentum)
            return updateSgd(weight, momentum, gradient, count, c);
        updateSgd(weight, gradient, count, c);
    }

    void squares(const T* values, std::int64_t count, double* sums) const override
    {
        *sums = sumOfSquares(values, count);
    }
};

class ProcessorUpdates final : public UpdateKernels {
public:
    const UpdatePasses<float>& floats() const override { return m_floats; }
    const UpdatePasses<double>& doubles() const override { return m_doubles; }
    /// Four float32 streams of a range fit in half a MiB of L2 cache.
    std::int64_t rangeElements() const override { return 1 << 15; }
    std::size_t sumSlots() const override { return 1; }

    void forEach(std::size_t count, const std::function<void(std::size_t)>& handle) const override
    {
        constexpr std::int64_t kRangesPerThread = 8;
        at::parallel_for(0, static_cast<std::int64_t>(count), kRangesPerThread,
                         [&](std::int64_t begin, std::int64_t end) {
                             for (std::int64_t i = begin; i < end; ++i)
                                 handle(static_cast<std::size_t>(i));
                         });
    }

private:
    ProcessorPasses<float> m_floats;
    ProcessorPasses<double> m_doubles;
};

} // namespace

const UpdateKernels& processorUpdates()
{
    static const ProcessorUpdates updates;
    return updates;
}

const UpdateKernels& updatesOf(const Device& device)
{
    TRAINYARD_CHECK(device.updates || device.isProcessor());
    return device.updates ? *device.updates : processorUpdates();
}

} // namespace trainyard
