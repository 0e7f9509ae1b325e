#include "engine/device/cuda/update_launch.h"

#include "engine/device/cuda/block_sums.h"
#include "engine/device/cuda/launch.h"
#include "engine/device/cuda/number.h"
#include "engine/optim/update_elements.h"

namespace trainyard {

namespace {

constexpr std::int64_t kMaxBlocks = 8192;

__device__ void writeCopy(std::uint16_t* working, std::int64_t i, float weight)
{
    if (working)
        working[i] = bfloat16BitsOrNan(weight);
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

/// The moments of a pack, advanced; adds the squares of its weights and directions to `mine`.
template <LambDirections directions, typename T, int Columns>
__device__ void advancePack(Pack<T>& average, Pack<T>& squareAverage, const Pack<T>& gradient,
                            const Pack<T>& weight, int count, const LambCoefficients<T>& c,
                            double (&mine)[Columns])
{
    for (int i = 0; i < count; ++i) {
        advanceMoments(average.at[i], squareAverage.at[i], gradient.at[i] * c.gradientScale, c);
        const LambDirection<T> d =
            lambDirection<directions>(average.at[i], squareAverage.at[i], gradient.at[i], weight.at[i], c);
        mine[0] += squareOf(weight.at[i]);
        mine[1] += squareOf(d.first);
        if constexpr (Columns > 2)
            mine[2] += squareOf(d.second);
    }
}

template <LambDirections directions, typename T>
__global__ void advanceLamb(MomentStreams<T> s, std::int64_t count, LambCoefficients<T> c, double* slots)
{
    constexpr std::int64_t kCount = Pack<T>::kCount;
    const bool isAligned = isPackAligned(s.weight) && isPackAligned(s.average) &&
                           isPackAligned(s.squareAverage) && isPackAligned(s.gradient);
    double mine[lambColumns(directions)] = {};
    for (std::int64_t pack = firstElement(); pack < count / kCount; pack += allThreads()) {
        const std::int64_t i = pack * kCount;
        Pack<T> average = loadPack(s.average + i, isAligned);
        Pack<T> squareAverage = loadPack(s.squareAverage + i, isAligned);
        advancePack<directions>(average, squareAverage, loadPack(s.gradient + i, isAligned),
                                loadPack(s.weight + i, isAligned), kCount, c, mine);
        storePack(s.average + i, average, isAligned);
        storePack(s.squareAverage + i, squareAverage, isAligned);
    }
    if (const std::int64_t i = count / kCount * kCount + firstElement(); i < count) {
        Pack<T> average{s.average[i]};
        Pack<T> squareAverage{s.squareAverage[i]};
        advancePack<directions>(average, squareAverage, {s.gradient[i]}, {s.weight[i]}, 1, c, mine);
        s.average[i] = average.at[0];
        s.squareAverage[i] = squareAverage.at[0];
    }
    storeBlockSums(mine, slots);
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
__global__ void squares(const T* values, std::int64_t count, double* slots)
{
    constexpr std::int64_t kCount = Pack<T>::kCount;
    const bool isAligned = isPackAligned(values);
    double mine[1] = {};
#pragma unroll 2
    for (std::int64_t pack = firstElement(); pack < count / kCount; pack += allThreads()) {
        const Pack<T> loaded = loadPack(values + pack * kCount, isAligned);
        for (const T value : loaded.at)
            mine[0] += squareOf(value);
    }
    if (const std::int64_t i = count / kCount * kCount + firstElement(); i < count)
        mine[0] += squareOf(values[i]);
    storeBlockSums(mine, slots);
}

/// The elements of a range that are this block's.
struct BlockShare {
    int range = 0;
    std::int64_t begin;
    std::int64_t end;

    template <typename Range>
    __device__ explicit BlockShare(const RangeTable<Range>& table)
    {
        while (table.firstBlock[range + 1] <= blockIdx.x)
            ++range;
        begin = std::int64_t{blockIdx.x - table.firstBlock[range]} * kRangeBlock;
        const std::int64_t last = begin + kRangeBlock;
        end = last < table.ranges[range].count ? last : table.ranges[range].count;
    }
};

template <typename T>
__device__ void adamWOfPack(const AdamWRange<T>& r, std::int64_t i, bool isAligned, int count)
{
    constexpr int kCount = Pack<T>::kCount;
    const bool isWhole = isAligned && count == kCount;
    const auto load = [&](const T* from) {
        if (isWhole)
            return loadPack(from + i, true);
        Pack<T> pack{};
        for (int k = 0; k < count; ++k)
            pack.at[k] = from[i + k];
        return pack;
    };
    const auto store = [&](T* to, const Pack<T>& pack) {
        if (isWhole)
            return storePack(to + i, pack, true);
        for (int k = 0; k < count; ++k)
            to[i + k] = pack.at[k];
    };
    Pack<T> weight = load(r.streams.weight);
    Pack<T> average = load(r.streams.average);
    Pack<T> squareAverage = load(r.streams.squareAverage);
    const Pack<T> gradient = load(r.streams.gradient);
    for (int k = 0; k < kCount; ++k)
        weight.at[k] =
            adamWElement(weight.at[k], average.at[k], squareAverage.at[k], gradient.at[k], r.coefficients);
    store(r.streams.weight, weight);
    store(r.streams.average, average);
    store(r.streams.squareAverage, squareAverage);
    for (int k = 0; k < count; ++k)
        writeCopy(r.working, i + k, weight.at[k]);
}

template <typename T>
__global__ void adamWOfRanges(const __grid_constant__ RangeTable<AdamWRange<T>> table)
{
    constexpr int kCount = Pack<T>::kCount;
    const BlockShare mine(table);
    const AdamWRange<T>& r = table.ranges[mine.range];
    const bool isAligned = isPackAligned(r.streams.weight) && isPackAligned(r.streams.average) &&
                           isPackAligned(r.streams.squareAverage) && isPackAligned(r.streams.gradient);
    for (std::int64_t i = mine.begin + std::int64_t{threadIdx.x} * kCount; i < mine.end;
         i += kThreads * kCount) {
        const std::int64_t rest = mine.end - i;
        adamWOfPack(r, i, isAligned, static_cast<int>(rest < kCount ? rest : kCount));
    }
}

template <typename T>
__global__ void squaresOfRanges(const __grid_constant__ RangeTable<SquaresRange<T>> table, double* slots)
{
    constexpr int kCount = Pack<T>::kCount;
    const BlockShare share(table);
    const T* const values = table.ranges[share.range].values;
    const bool isAligned = isPackAligned(values);
    double mine[1] = {};
    for (std::int64_t i = share.begin + std::int64_t{threadIdx.x} * kCount; i < share.end;
         i += kThreads * kCount) {
        if (i + kCount <= share.end) {
            for (const T value : loadPack(values + i, isAligned).at)
                mine[0] += squareOf(value);
            continue;
        }
        for (std::int64_t k = i; k < share.end; ++k)
            mine[0] += squareOf(values[k]);
    }
    storeBlockSums(mine, slots);
}

/// Of one block per range: the sum over the slots of the range's blocks.
template <typename T>
__global__ void addRangeSlots(const __grid_constant__ RangeTable<SquaresRange<T>> table, const double* slots)
{
    double mine[1] = {};
    const std::uint32_t end = table.firstBlock[blockIdx.x + 1];
    for (std::uint32_t slot = table.firstBlock[blockIdx.x] + threadIdx.x; slot < end; slot += kThreads)
        mine[0] += slots[slot];
    // storeBlockSums() writes the slot of the block's number.
    storeBlockSums(mine, table.ranges[blockIdx.x].sums - blockIdx.x);
}

/// Blocks of a pass that sums over packs of T.
template <typename T>
unsigned sumBlocksFor(std::int64_t count)
{
    return blocksFor(count / Pack<T>::kCount, kSumBlocks);
}

} // namespace

template <typename T>
cudaError_t launchAdamW(const MomentStreams<T>& s, std::uint16_t* working, std::int64_t count,
                        const AdamWCoefficients<T>& c, cudaStream_t stream)
{
    return TRAINYARD_LAUNCH(adamW<T>, blocksFor(count, kMaxBlocks), kThreads, stream, s, working, count, c);
}

template <typename T>
cudaError_t launchAdvanceLamb(LambDirections directions, const MomentStreams<T>& s, std::int64_t count,
                              const LambCoefficients<T>& c, double* scratch, double* sums,
                              cudaStream_t stream)
{
    const bool updates = directions == LambDirections::Update;
    const auto kernel = updates ? advanceLamb<LambDirections::Update, T>
                                : advanceLamb<LambDirections::MomentumAndGradient, T>;
    const unsigned blocks = sumBlocksFor<T>(count);
    const cudaError_t advanced = TRAINYARD_LAUNCH(kernel, blocks, kThreads, stream, s, count, c, scratch);
    if (advanced != cudaSuccess)
        return advanced;
    const auto add = updates ? addSlots<lambColumns(LambDirections::Update)>
                             : addSlots<lambColumns(LambDirections::MomentumAndGradient)>;
    return TRAINYARD_LAUNCH(add, 1, kThreads, stream, scratch, static_cast<int>(blocks), sums);
}

template <typename T>
cudaError_t launchApplyLamb(LambDirections directions, const MomentStreams<T>& s, std::uint16_t* working,
                            std::int64_t count, const LambCoefficients<T>& c, const LambRates<T>& rates,
                            cudaStream_t stream)
{
    const auto kernel = directions == LambDirections::Update
                            ? applyLamb<LambDirections::Update, T>
                            : applyLamb<LambDirections::MomentumAndGradient, T>;
    return TRAINYARD_LAUNCH(kernel, blocksFor(count, kMaxBlocks), kThreads, stream, s, working, count, c,
                            rates);
}

template <typename T>
cudaError_t launchSgd(T* weight, T* momentum, const T* gradient, std::int64_t count,
                      const SgdCoefficients<T>& c, cudaStream_t stream)
{
    return TRAINYARD_LAUNCH(sgd<T>, blocksFor(count, kMaxBlocks), kThreads, stream, weight, momentum,
                            gradient, count, c);
}

template <typename T>
cudaError_t launchSquares(const T* values, std::int64_t count, double* scratch, double* sums,
                          cudaStream_t stream)
{
    const unsigned blocks = sumBlocksFor<T>(count);
    const cudaError_t squared =
        TRAINYARD_LAUNCH(squares<T>, blocks, kThreads, stream, values, count, scratch);
    if (squared != cudaSuccess)
        return squared;
    return TRAINYARD_LAUNCH(addSlots<1>, 1, kThreads, stream, scratch, static_cast<int>(blocks), sums);
}

template <typename T>
cudaError_t launchAdamW(const RangeTable<AdamWRange<T>>& table, cudaStream_t stream)
{
    if (table.blocks() == 0)
        return cudaSuccess;
    return TRAINYARD_LAUNCH(adamWOfRanges<T>, table.blocks(), kThreads, stream, table);
}

template <typename T>
cudaError_t launchSquares(const RangeTable<SquaresRange<T>>& table, double* scratch, cudaStream_t stream)
{
    if (table.blocks() == 0)
        return cudaSuccess;
    const cudaError_t squared =
        TRAINYARD_LAUNCH(squaresOfRanges<T>, table.blocks(), kThreads, stream, table, scratch);
    if (squared != cudaSuccess)
        return squared;
    return TRAINYARD_LAUNCH(addRangeSlots<T>, static_cast<unsigned>(table.count), kThreads, stream, table,
                            scratch);
}

#define TRAINYARD_INSTANTIATE(T)                                                                             \
    template cudaError_t launchAdamW<T>(const MomentStreams<T>&, std::uint16_t*, std::int64_t,               \
                                        const AdamWCoefficients<T>&, cudaStream_t);                          \
    template cudaError_t launchAdvanceLamb<T>(LambDirections, const MomentStreams<T>&, std::int64_t,         \
                                              const LambCoefficients<T>&, double*, double*, cudaStream_t);   \
    template cudaError_t launchApplyLamb<T>(LambDirections, const MomentStreams<T>&, std::uint16_t*,         \
                                            std::int64_t, const LambCoefficients<T>&, const LambRates<T>&,   \
                                            cudaStream_t);                                                   \
    template cudaError_t launchSgd<T>(T*, T*, const T*, std::int64_t, const SgdCoefficients<T>&,             \
                                      cudaStream_t);                                                         \
    template cudaError_t launchSquares<T>(const T*, std::int64_t, double*, double*, cudaStream_t);           \
    template cudaError_t launchAdamW<T>(const RangeTable<AdamWRange<T>>&, cudaStream_t);                     \
    template cudaError_t launchSquares<T>(const RangeTable<SquaresRange<T>>&, double*, cudaStream_t);
TRAINYARD_INSTANTIATE(float)
TRAINYARD_INSTANTIATE(double)

} // namespace trainyard
