#include "engine/device/cuda/update_launch.h"

#include <algorithm>

#include "engine/base/kernel.h"
#include "engine/optim/update_elements.h"

namespace trainyard {

namespace {

constexpr int kThreads = 256;
constexpr int kWarp = 32;
constexpr std::int64_t kMaxBlocks = 8192; // threads go on where they are fewer than elements

/// Blocks for `count` elements; none is empty.
unsigned blocksFor(std::int64_t count, std::int64_t most)
{
    return static_cast<unsigned>(std::clamp<std::int64_t>((count + kThreads - 1) / kThreads, 1, most));
}

/// This thread's first element, and how many threads there are.
__device__ std::int64_t firstElement()
{
    return std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
}
__device__ std::int64_t allThreads()
{
    return std::int64_t{gridDim.x} * blockDim.x;
}

/// Adds up each column over the block's threads, in an order of its own that is always the same, and writes
/// the block's slot. Every thread of the block calls it, once.
template <int Columns>
__device__ void storeBlockSums(double (&mine)[Columns], double* sums)
{
    __shared__ double ofWarp[kThreads / kWarp][Columns];
    for (int column = 0; column < Columns; ++column) {
        for (int offset = kWarp / 2; offset > 0; offset /= 2)
            mine[column] += __shfl_down_sync(0xffffffffu, mine[column], offset);
        if (threadIdx.x % kWarp == 0)
            ofWarp[threadIdx.x / kWarp][column] = mine[column];
    }
    __syncthreads();
    if (threadIdx.x >= Columns)
        return;
    double sum = 0;
    for (int warp = 0; warp < kThreads / kWarp; ++warp)
        sum += ofWarp[warp][threadIdx.x];
    sums[std::size_t{blockIdx.x} * Columns + threadIdx.x] = sum;
}

__device__ void writeCopy(std::uint16_t* working, std::int64_t i, float weight)
{
    if (working)
        working[i] = bfloat16Bits(weight);
}
__device__ void writeCopy(std::uint16_t*, std::int64_t, double) {} // float64 weights have no copy

template <typename T>
__global__ void adamW(MomentStreams<T> s, std::uint16_t* working, std::int64_t count, AdamWCoefficients<T> c)
{
    for (std::int64_t i = firstElement(); i < count; i += allThreads()) {
        const T weight = adamWElement(s.weight[i], s.average[i], s.squareAverage[i], s.gradient[i], c);
        s.weight[i] = weight;
        writeCopy(working, i, weight);
    }
}

template <LambDirections directions, typename T>
__global__ void advanceLamb(MomentStreams<T> s, std::int64_t count, LambCoefficients<T> c, double* sums)
{
    constexpr std::size_t kColumns = lambColumns(directions);
    double mine[kColumns] = {};
    for (std::int64_t i = firstElement(); i < count; i += allThreads()) {
        advanceMoments(s.average[i], s.squareAverage[i], s.gradient[i] * c.gradientScale, c);
        const LambDirection<T> d =
            lambDirection<directions>(s.average[i], s.squareAverage[i], s.gradient[i], s.weight[i], c);
        mine[0] += squareOf(s.weight[i]);
        mine[1] += squareOf(d.first);
        if constexpr (kColumns > 2)
            mine[2] += squareOf(d.second);
    }
    storeBlockSums(mine, sums);
}

template <LambDirections directions, typename T>
__global__ void applyLamb(MomentStreams<T> s, std::uint16_t* working, std::int64_t count,
                          LambCoefficients<T> c, LambRates<T> rates)
{
    for (std::int64_t i = firstElement(); i < count; i += allThreads()) {
        const T weight =
            lambElement<directions>(s.average[i], s.squareAverage[i], s.gradient[i], s.weight[i], c, rates);
        s.weight[i] = weight;
        writeCopy(working, i, weight);
    }
}

template <typename T>
__global__ void sgd(T* weight, T* momentum, const T* gradient, std::int64_t count, SgdCoefficients<T> c)
{
    for (std::int64_t i = firstElement(); i < count; i += allThreads()) {
        T direction = sgdDirection(gradient[i], weight[i], c);
        if (momentum) {
            direction = c.momentum * momentum[i] + direction;
            momentum[i] = direction;
        }
        weight[i] -= c.rate * direction;
    }
}

template <typename T>
__global__ void squares(const T* values, std::int64_t count, double* sums)
{
    double mine[1] = {};
    for (std::int64_t i = firstElement(); i < count; i += allThreads())
        mine[0] += squareOf(values[i]);
    storeBlockSums(mine, sums);
}

} // namespace

template <typename T>
cudaError_t launchAdamW(const MomentStreams<T>& s, std::uint16_t* working, std::int64_t count,
                        const AdamWCoefficients<T>& c, cudaStream_t stream)
{
    adamW<T><<<blocksFor(count, kMaxBlocks), kThreads, 0, stream>>>(s, working, count, c);
    return cudaGetLastError();
}

template <typename T>
cudaError_t launchAdvanceLamb(LambDirections directions, const MomentStreams<T>& s, std::int64_t count,
                              const LambCoefficients<T>& c, double* sums, cudaStream_t stream)
{
    const auto kernel = directions == LambDirections::Update
                            ? advanceLamb<LambDirections::Update, T>
                            : advanceLamb<LambDirections::MomentumAndGradient, T>;
    kernel<<<blocksFor(count, kCudaSumSlots), kThreads, 0, stream>>>(s, count, c, sums);
    return cudaGetLastError();
}

template <typename T>
cudaError_t launchApplyLamb(LambDirections directions, const MomentStreams<T>& s, std::uint16_t* working,
                            std::int64_t count, const LambCoefficients<T>& c, const LambRates<T>& rates,
                            cudaStream_t stream)
{
    const auto kernel = directions == LambDirections::Update
                            ? applyLamb<LambDirections::Update, T>
                            : applyLamb<LambDirections::MomentumAndGradient, T>;
    kernel<<<blocksFor(count, kMaxBlocks), kThreads, 0, stream>>>(s, working, count, c, rates);
    return cudaGetLastError();
}

template <typename T>
cudaError_t launchSgd(T* weight, T* momentum, const T* gradient, std::int64_t count,
                      const SgdCoefficients<T>& c, cudaStream_t stream)
{
    sgd<T><<<blocksFor(count, kMaxBlocks), kThreads, 0, stream>>>(weight, momentum, gradient, count, c);
    return cudaGetLastError();
}

template <typename T>
cudaError_t launchSquares(const T* values, std::int64_t count, double* sums, cudaStream_t stream)
{
    squares<T><<<blocksFor(count, kCudaSumSlots), kThreads, 0, stream>>>(values, count, sums);
    return cudaGetLastError();
}

#define TRAINYARD_INSTANTIATE(T)                                                                             \
    template cudaError_t launchAdamW<T>(const MomentStreams<T>&, std::uint16_t*, std::int64_t,               \
                                        const AdamWCoefficients<T>&, cudaStream_t);                          \
    template cudaError_t launchAdvanceLamb<T>(LambDirections, const MomentStreams<T>&, std::int64_t,         \
                                              const LambCoefficients<T>&, double*, cudaStream_t);            \
    template cudaError_t launchApplyLamb<T>(LambDirections, const MomentStreams<T>&, std::uint16_t*,         \
                                            std::int64_t, const LambCoefficients<T>&, const LambRates<T>&,   \
                                            cudaStream_t);                                                   \
    template cudaError_t launchSgd<T>(T*, T*, const T*, std::int64_t, const SgdCoefficients<T>&,             \
                                      cudaStream_t);                                                         \
    template cudaError_t launchSquares<T>(const T*, std::int64_t, double*, cudaStream_t);
TRAINYARD_INSTANTIATE(float)
TRAINYARD_INSTANTIATE(double)

} // namespace trainyard
