#include "engine/device/cuda/norm_launch.h"

#include <cmath>

#include "engine/device/cuda/block_sums.h"
#include "engine/device/cuda/column_sums.h"
#include "engine/device/cuda/launch.h"
#include "engine/device/cuda/packed_norm.h"

namespace trainyard {

namespace {

constexpr int kLanes = static_cast<int>(kDropoutLanes);
constexpr int kGroupsAtOnce = kThreads / kLanes;
constexpr int kColumnsAtOnce = kThreads * 4;

/// The columns of a row that a thread has: those that one Philox block decides, in each of `Rounds` parts of
/// kColumnsAtOnce columns. The same in every row, because rows begin at multiples of a group.
struct ThreadColumns {
    int lane;
    int group;

    __device__ ThreadColumns()
        : lane(static_cast<int>(threadIdx.x) % kLanes), group(static_cast<int>(threadIdx.x) / kLanes)
    {
    }
    __device__ std::int64_t groupOf(int round) const { return std::int64_t{round} * kGroupsAtOnce + group; }
    __device__ std::int64_t column(int round, int word) const
    {
        return groupOf(round) * kDropoutGroup + word * kLanes + lane;
    }
};

template <int Rounds, typename Handle>
__device__ void forEachColumn(std::int64_t width, const Handle& handle)
{
    const ThreadColumns mine;
#pragma unroll
    for (int round = 0; round < Rounds; ++round) {
        if (mine.column(round, 0) >= width)
            continue;
#pragma unroll
        for (int word = 0; word < 4; ++word)
            handle(round, word, mine.column(round, word));
    }
}

/// Factors of this thread's columns of a row.
template <typename W>
class RowDropout {
public:
    __device__ RowDropout(const TokenPlace* places, std::int64_t row, std::int64_t width,
                          const DropoutRates& rates)
        : m_rates(rates), m_isOn(places)
    {
        if (!m_isOn)
            return;
        m_sample = places[row].sample;
        m_firstGroup = places[row].position * (width / kDropoutGroup);
    }

    __device__ void draw(int round)
    {
        const ThreadColumns mine;
        if (m_isOn)
            m_kept = keptOfLane(m_firstGroup + mine.groupOf(round), mine.lane, m_sample, m_rates);
    }
    __device__ W drop(W value, int word) const
    {
        if (!m_isOn)
            return value;
        return m_kept >> word & 1 ? value * static_cast<W>(m_rates.scale) : W(0);
    }

private:
    const DropoutRates& m_rates;
    bool m_isOn;
    std::uint64_t m_sample = 0;
    std::int64_t m_firstGroup = 0;
    unsigned m_kept = 0;
};

// A block per row, which stays in registers: memory sees each number once.
template <typename T, int Rounds>
__global__ void addNorm(const __grid_constant__ AddNorm<T> s, std::int64_t width, double epsilon,
                        const __grid_constant__ DropoutRates rates)
{
    using W = Wide<T>;
    TRAINYARD_SHARED(W, ofWarp, [kWarps]);
    const std::int64_t row = blockIdx.x;
    const std::int64_t first = row * width;
    RowDropout<W> dropout(s.places, row, width, rates);
    W values[Rounds][4] = {};
    W sum = 0;
    forEachColumn<Rounds>(width, [&](int round, int word, std::int64_t column) {
        if (word == 0)
            dropout.draw(round);
        W value = widen(s.input[first + column]);
        if (s.bias)
            value += widen(s.bias[column]);
        value = dropout.drop(value, word);
        if (s.residual)
            value += widen(s.residual[first + column]);
        const T rounded = narrow<T>(value);
        if (s.sum)
            s.sum[first + column] = rounded;
        values[round][word] = widen(rounded);
        sum += values[round][word];
    });
    const W mean = blockSum(sum, ofWarp) / static_cast<W>(width);
    // Not E[x^2] - E[x]^2, which would cancel in float32.
    W squares = 0;
    forEachColumn<Rounds>(width, [&](int round, int word, std::int64_t) {
        const W difference = values[round][word] - mean;
        squares += difference * difference;
    });
    const W variance = blockSum(squares, ofWarp) / static_cast<W>(width);
    const W scale = W(1) / std::sqrt(variance + static_cast<W>(epsilon));
    forEachColumn<Rounds>(width, [&](int round, int word, std::int64_t column) {
        s.output[first + column] = narrow<T>((values[round][word] - mean) * scale * widen(s.weight[column]) +
                                             widen(s.shift[column]));
    });
    if (threadIdx.x == 0) {
        s.statistics[2 * row] = mean;
        s.statistics[2 * row + 1] = scale;
    }
}

// A block takes every gridDim.x-th row, and adds its columns up in registers.
template <typename T, int Rounds>
__global__ void addNormGradient(const __grid_constant__ AddNormGradient<T> s, std::int64_t rows,
                                std::int64_t width, const __grid_constant__ DropoutRates rates,
                                Wide<T>* slots)
{
    using W = Wide<T>;
    TRAINYARD_SHARED(W, ofWarp, [kWarps]);
    W weightSums[Rounds][4] = {};
    W shiftSums[Rounds][4] = {};
    W biasSums[Rounds][4] = {};
    for (std::int64_t row = blockIdx.x; row < rows; row += gridDim.x) {
        const std::int64_t first = row * width;
        const W mean = s.statistics[2 * row];
        const W scale = s.statistics[2 * row + 1];
        W p[Rounds][4] = {};
        W h[Rounds][4] = {};
        W sumP = 0;
        W sumPH = 0;
        forEachColumn<Rounds>(width, [&](int round, int word, std::int64_t column) {
            const W dy = widen(s.gradient[first + column]);
            h[round][word] = (widen(s.sum[first + column]) - mean) * scale;
            p[round][word] = dy * widen(s.weight[column]);
            sumP += p[round][word];
            sumPH += p[round][word] * h[round][word];
            weightSums[round][word] += dy * h[round][word];
            shiftSums[round][word] += dy;
        });
        const W meanP = blockSum(sumP, ofWarp) / static_cast<W>(width);
        const W meanPH = blockSum(sumPH, ofWarp) / static_cast<W>(width);
        RowDropout<W> dropout(s.places, row, width, rates);
        forEachColumn<Rounds>(width, [&](int round, int word, std::int64_t column) {
            if (word == 0)
                dropout.draw(round);
            const W ds = scale * (p[round][word] - meanP - h[round][word] * meanPH);
            const W dx = dropout.drop(ds, word);
            s.sumGradient[first + column] = narrow<T>(ds);
            if (s.inputGradient)
                s.inputGradient[first + column] = narrow<T>(dx);
            biasSums[round][word] += dx;
        });
    }
    W* const slot = slots + std::int64_t{blockIdx.x} * 3 * width;
    forEachColumn<Rounds>(width, [&](int round, int word, std::int64_t column) {
        slot[column] = weightSums[round][word];
        slot[width + column] = shiftSums[round][word];
        slot[2 * width + column] = biasSums[round][word];
    });
}

/// handle(std::integral_constant<int, Rounds>()) with the rounds that the width takes.
template <typename Handle>
cudaError_t withRounds(std::int64_t width, const Handle& handle)
{
    if (width <= kColumnsAtOnce)
        return handle(std::integral_constant<int, 1>());
    if (width <= 2 * kColumnsAtOnce)
        return handle(std::integral_constant<int, 2>());
    if (width <= 4 * kColumnsAtOnce)
        return handle(std::integral_constant<int, 4>());
    return handle(std::integral_constant<int, 8>());
}

} // namespace

template <typename T>
cudaError_t launchAddNorm(const AddNorm<T>& tensors, std::int64_t rows, std::int64_t width, double epsilon,
                          const DropoutRates& dropout, cudaStream_t stream)
{
    if (rows == 0)
        return cudaSuccess;
    if (!hasNormKernel(width))
        return cudaErrorInvalidValue;
    if constexpr (sizeof(T) == 2) {
        if (hasPackedNorm(tensors, width))
            return launchPackedAddNorm(tensors, rows, width, static_cast<float>(epsilon), dropout, stream);
    }
    return withRounds(width, [&](auto rounds) {
        return TRAINYARD_LAUNCH((addNorm<T, rounds()>), static_cast<unsigned>(rows), kThreads, stream,
                                tensors, width, epsilon, dropout);
    });
}

template <typename T>
cudaError_t launchAddNormGradient(const AddNormGradient<T>& tensors, std::int64_t rows, std::int64_t width,
                                  const DropoutRates& dropout, Wide<T>* scratch, cudaStream_t stream)
{
    if (!hasNormKernel(width))
        return cudaErrorInvalidValue;
    const auto addSlots = [&](cudaError_t launched, unsigned blocks) {
        return launched == cudaSuccess
                   ? launchAddColumnSlots(scratch, blocks, 3 * width, tensors.sums, stream)
                   : launched;
    };
    if constexpr (sizeof(T) == 2) {
        if (hasPackedNorm(tensors, width)) {
            unsigned blocks = 0;
            const cudaError_t launched =
                launchPackedAddNormGradient(tensors, rows, width, dropout, scratch, blocks, stream);
            return addSlots(launched, blocks);
        }
    }
    const auto blocks = static_cast<unsigned>(std::clamp<std::int64_t>(rows, 1, kNormSlots));
    const cudaError_t launched = withRounds(width, [&](auto rounds) {
        return TRAINYARD_LAUNCH((addNormGradient<T, rounds()>), blocks, kThreads, stream, tensors, rows,
                                width, dropout, scratch);
    });
    return addSlots(launched, blocks);
}

#define TRAINYARD_INSTANTIATE(T)                                                                             \
    template cudaError_t launchAddNorm<T>(const AddNorm<T>&, std::int64_t, std::int64_t, double,             \
                                          const DropoutRates&, cudaStream_t);                                \
    template cudaError_t launchAddNormGradient<T>(const AddNormGradient<T>&, std::int64_t, std::int64_t,     \
                                                  const DropoutRates&, Wide<T>*, cudaStream_t);
TRAINYARD_INSTANTIATE(float)
TRAINYARD_INSTANTIATE(double)
TRAINYARD_INSTANTIATE(BFloat16)
TRAINYARD_INSTANTIATE(Float16)

} // namespace trainyard
