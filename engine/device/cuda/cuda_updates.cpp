#include "engine/device/cuda/cuda_updates.h"

#include <ATen/ops/empty.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAStream.h>

#include "engine/device/cuda/update_launch.h"

namespace trainyard {

namespace {

cudaStream_t stream()
{
    return c10::cuda::getCurrentCUDAStream();
}

/// For a pass on the current stream. Its memory is used again only by what comes later on the stream.
at::Tensor scratchOf(std::int64_t numbers)
{
    return at::empty({numbers}, at::TensorOptions().dtype(at::kDouble).device(at::kCUDA));
}
at::Tensor sumScratch()
{
    return scratchOf(kSumScratch);
}

/// Passes that forEach() gathers on its thread, until a launch is full or the last has come.
template <typename T>
class GatheredPasses {
public:
    static GatheredPasses& ofThread()
    {
        thread_local GatheredPasses passes;
        return passes;
    }

    void add(const AdamWRange<T>& range)
    {
        m_adamW.add(range);
        if (m_adamW.isFull() || !m_isGathering)
            flush(m_adamW);
    }
    void add(const SquaresRange<T>& range)
    {
        m_squares.add(range);
        if (m_squares.isFull() || !m_isGathering)
            flush(m_squares);
    }

    void begin()
    {
        m_isGathering = true;
        m_adamW.count = 0; // of a step that threw
        m_squares.count = 0;
    }
    void end()
    {
        m_isGathering = false;
        flush(m_adamW);
        flush(m_squares);
    }

private:
    void flush(RangeTable<AdamWRange<T>>& table)
    {
        if (table.count == 0)
            return;
        const AdamWRange<T>& first = table.ranges[0];
        if (table.count == 1)
            C10_CUDA_CHECK(
                launchAdamW(first.streams, first.working, first.count, first.coefficients, stream()));
        else
            C10_CUDA_CHECK(launchAdamW(table, stream()));
        table.count = 0;
    }
    void flush(RangeTable<SquaresRange<T>>& table)
    {
        if (table.count == 0)
            return;
        const SquaresRange<T>& first = table.ranges[0];
        if (table.count == 1)
            C10_CUDA_CHECK(launchSquares(first.values, first.count, sumScratch().mutable_data_ptr<double>(),
                                         first.sums, stream()));
        else
            C10_CUDA_CHECK(launchSquares(table, scratchOf(table.blocks()).template mutable_data_ptr<double>(),
                                         stream()));
        table.count = 0;
    }

    bool m_isGathering = false;
    RangeTable<AdamWRange<T>> m_adamW;
    RangeTable<SquaresRange<T>> m_squares;
};

template <typename T>
class CudaPasses final : public UpdatePasses<T> {
public:
    void adamW(const MomentStreams<T>& s, std::uint16_t* working, std::int64_t count,
               const AdamWCoefficients<T>& c) const override
    {
        GatheredPasses<T>::ofThread().add(AdamWRange<T>{s, working, count, c});
    }
    void advanceLamb(LambDirections directions, const MomentStreams<T>& s, std::int64_t count,
                     const LambCoefficients<T>& c, double* sums) const override
    {
        C10_CUDA_CHECK(launchAdvanceLamb(directions, s, count, c, sumScratch().mutable_data_ptr<double>(),
                                         sums, stream()));
    }
    void applyLamb(LambDirections directions, const MomentStreams<T>& s, std::uint16_t* working,
                   std::int64_t count, const LambCoefficients<T>& c, const LambRates<T>& rates) const override
    {
        C10_CUDA_CHECK(launchApplyLamb(directions, s, working, count, c, rates, stream()));
    }
    void sgd(T* weight, T* momentum, const T* gradient, std::int64_t count,
             const SgdCoefficients<T>& c) const override
    {
        C10_CUDA_CHECK(launchSgd(weight, momentum, gradient, count, c, stream()));
    }
    void squares(const T* values, std::int64_t count, double* sums) const override
    {
        GatheredPasses<T>::ofThread().add(SquaresRange<T>{values, count, sums});
    }
};

class CudaUpdates final : public UpdateKernels {
public:
    const UpdatePasses<float>& floats() const override { return m_floats; }
    const UpdatePasses<double>& doubles() const override { return m_doubles; }
    /// A launch costs some microseconds, in which a device passes over a megabyte.
    std::int64_t rangeElements() const override { return std::int64_t{1} << 24; }
    std::size_t sumSlots() const override { return 1; }
    void forEach(std::size_t count, const std::function<void(std::size_t)>& pass,
                 const std::function<void(std::size_t)>& after) const override
    {
        auto& floats = GatheredPasses<float>::ofThread();
        auto& doubles = GatheredPasses<double>::ofThread();
        floats.begin();
        doubles.begin();
        for (std::size_t index = 0; index < count; ++index)
            pass(index);
        floats.end();
        doubles.end();
        for (std::size_t index = 0; index < count; ++index)
            after(index);
    }

private:
    CudaPasses<float> m_floats;
    CudaPasses<double> m_doubles;
};

} // namespace

const UpdateKernels* cudaUpdates()
{
    static const CudaUpdates updates;
    return &updates;
}

} // namespace trainyard
