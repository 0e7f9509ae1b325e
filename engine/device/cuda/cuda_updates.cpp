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
at::Tensor sumScratch()
{
    return at::empty({static_cast<std::int64_t>(kSumScratch)},
                     at::TensorOptions().dtype(at::kDouble).device(at::kCUDA));
}

template <typename T>
class CudaPasses final : public UpdatePasses<T> {
public:
    void adamW(const MomentStreams<T>& s, std::uint16_t* working, std::int64_t count,
               const AdamWCoefficients<T>& c) const override
    {
        C10_CUDA_CHECK(launchAdamW(s, working, count, c, stream()));
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
        C10_CUDA_CHECK(launchSquares(values, count, sumScratch().mutable_data_ptr<double>(), sums, stream()));
    }
};

class CudaUpdates final : public UpdateKernels {
public:
    const UpdatePasses<float>& floats() const override { return m_floats; }
    const UpdatePasses<double>& doubles() const override { return m_doubles; }
    /// A launch costs some microseconds, in which a device passes over a megabyte.
    std::int64_t rangeElements() const override { return std::int64_t{1} << 24; }
    std::size_t sumSlots() const override { return 1; }
    void forEach(std::size_t count, const std::function<void(std::size_t)>& handle) const override
    {
        for (std::size_t index = 0; index < count; ++index)
            handle(index);
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
