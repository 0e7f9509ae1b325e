#include "engine/device/cuda/row_loss_launch.h"

#include <limits>

#include "engine/device/cuda/block_sums.h"
#include "engine/device/cuda/launch.h"
#include "engine/device/cuda/log_sum.h"

namespace trainyard {

namespace {

/// A row between the first and the last address that is a multiple of 16 bytes is read in packs; a vocabulary
/// has any width, so each row begins at another place.
template <typename T>
struct RowParts {
    std::int64_t head;  ///< elements in front of the packs
    std::int64_t packs; ///< how many

    __device__ RowParts(const T* row, std::int64_t columns)
    {
        const auto beyond = reinterpret_cast<std::uintptr_t>(row) % sizeof(Pack<T>);
        head = beyond == 0 ? 0 : static_cast<std::int64_t>((sizeof(Pack<T>) - beyond) / sizeof(T));
        head = head < columns ? head : columns;
        packs = (columns - head) / Pack<T>::kCount;
    }
    __device__ std::int64_t tail() const { return head + packs * Pack<T>::kCount; }
};

/// handle(pack, first element, elements) for all parts of a row that this thread of the block has.
template <typename T, typename Handle>
__device__ void forEachPart(const T* row, std::int64_t columns, const Handle& handle)
{
    const RowParts<T> parts(row, columns);
    const std::int64_t thread = threadIdx.x;
    if (thread < parts.head)
        handle(Pack<T>{row[thread]}, thread, 1);
    for (std::int64_t pack = thread; pack < parts.packs; pack += kThreads) {
        const std::int64_t first = parts.head + pack * Pack<T>::kCount;
        handle(loadPack(row + first, true), first, Pack<T>::kCount);
    }
    if (const std::int64_t i = parts.tail() + thread; i < columns)
        handle(Pack<T>{row[i]}, i, 1);
}

/// Of the block; every thread has it.
template <typename W>
__device__ LogSum<W> blockLogSum(LogSum<W> mine)
{
    TRAINYARD_SHARED(W, largest, [kWarps]);
    TRAINYARD_SHARED(W, sum, [kWarps]);
    mine = warpLogSum(mine);
    if (threadIdx.x % kWarp == 0) {
        largest[threadIdx.x / kWarp] = mine.largest;
        sum[threadIdx.x / kWarp] = mine.sum;
    }
    __syncthreads();
    LogSum<W> all;
    for (int warp = 0; warp < kWarps; ++warp)
        all.add(largest[warp], sum[warp]);
    return all;
}

template <typename T>
__global__ void rowLosses(const T* logits, const std::int64_t* targets, std::int64_t columns,
                          std::int64_t pitch, Wide<T>* logSums, double* losses)
{
    using W = Wide<T>;
    const std::int64_t row = blockIdx.x;
    const T* const z = logits + row * pitch;
    LogSum<W> mine;
    forEachPart(z, columns, [&](const Pack<T>& pack, std::int64_t, int count) {
        for (int i = 0; i < count; ++i)
            mine.add(widen(pack.at[i]));
    });
    const W logSum = blockLogSum(mine).value();
    if (threadIdx.x > 0)
        return;
    const std::int64_t target = targets[row];
    const bool isColumn = target >= 0 && target < columns;
    logSums[row] = logSum;
    losses[row] = isColumn ? static_cast<double>(logSum) - static_cast<double>(widen(z[target]))
                           : std::numeric_limits<double>::quiet_NaN();
}

template <typename T>
__global__ void rowLossGradient(const T* logits, const std::int64_t* targets, const Wide<T>* logSums,
                                const Wide<T>* upstream, double scale, std::int64_t columns,
                                std::int64_t pitch, T* gradient)
{
    using W = Wide<T>;
    const std::int64_t row = blockIdx.x;
    const std::int64_t target = targets[row];
    const bool isColumn = target >= 0 && target < columns;
    const W factor = isColumn ? static_cast<W>(scale) * upstream[0] : std::numeric_limits<W>::quiet_NaN();
    const W logSum = logSums[row];
    T* const out = gradient + row * pitch;
    forEachPart(logits + row * pitch, columns, [&](Pack<T> pack, std::int64_t first, int count) {
        for (int i = 0; i < count; ++i) {
            const W p = std::exp(widen(pack.at[i]) - logSum);
            pack.at[i] = narrow<T>(factor * (first + i == target ? p - W(1) : p));
        }
        if (count == Pack<T>::kCount && isPackAligned(out + first))
            return storePack(out + first, pack, true);
        for (int i = 0; i < count; ++i)
            out[first + i] = pack.at[i];
    });
}

} // namespace

template <typename T>
cudaError_t launchRowLosses(const T* logits, const std::int64_t* targets, std::int64_t rows,
                            std::int64_t columns, std::int64_t pitch, Wide<T>* logSums, double* scratch,
                            double* sum, cudaStream_t stream)
{
    if (rows > 0) {
        const cudaError_t launched =
            TRAINYARD_LAUNCH(rowLosses<T>, static_cast<unsigned>(rows), kThreads, stream, logits, targets,
                             columns, pitch, logSums, scratch);
        if (launched != cudaSuccess)
            return launched;
    }
    return TRAINYARD_LAUNCH(addSlots<1>, 1, kThreads, stream, scratch, static_cast<int>(rows), sum);
}

template <typename T>
cudaError_t launchRowLossGradient(const T* logits, const std::int64_t* targets, const Wide<T>* logSums,
                                  const Wide<T>* upstream, double scale, std::int64_t rows,
                                  std::int64_t columns, std::int64_t pitch, T* gradient, cudaStream_t stream)
{
    if (rows == 0)
        return cudaSuccess;
    return TRAINYARD_LAUNCH(rowLossGradient<T>, static_cast<unsigned>(rows), kThreads, stream, logits,
                            targets, logSums, upstream, scale, columns, pitch, gradient);
}

#define TRAINYARD_INSTANTIATE(T)                                                                             \
    template cudaError_t launchRowLosses<T>(const T*, const std::int64_t*, std::int64_t, std::int64_t,       \
                                            std::int64_t, Wide<T>*, double*, double*, cudaStream_t);         \
    template cudaError_t launchRowLossGradient<T>(const T*, const std::int64_t*, const Wide<T>*,             \
                                                  const Wide<T>*, double, std::int64_t, std::int64_t,        \
                                                  std::int64_t, T*, cudaStream_t);
TRAINYARD_INSTANTIATE(float)
TRAINYARD_INSTANTIATE(double)
TRAINYARD_INSTANTIATE(BFloat16)
TRAINYARD_INSTANTIATE(Float16)

} // namespace trainyard
