#include "engine/device/cuda/scores_launch.h"

#include <algorithm>

#include "engine/device/cuda/block_sums.h"
#include "engine/device/cuda/launch.h"
#include "engine/device/cuda/log_sum.h"
#include "engine/device/cuda/packed_scores.h"

namespace trainyard {

namespace {

constexpr int kLanes = static_cast<int>(kDropoutLanes);
constexpr int kGroupsAtOnce = kWarp / kLanes;

/// A row of scores, of which a warp has all, and this thread those that one Philox block decides, in every
/// second group of the sample's elements.
template <typename T>
class ScoreRow {
public:
    using W = Wide<T>;

    __device__ ScoreRow(std::int64_t row, const ScoreShape& shape, const ScoreBias<T>& bias,
                        const std::uint64_t* samples, const DropoutRates& rates)
        : m_rates(rates), m_drops(samples), m_lane(static_cast<int>(threadIdx.x) % kLanes)
    {
        const std::int64_t query = row % shape.queries;
        const std::int64_t head = row / shape.queries % shape.heads;
        const std::int64_t entry = row / shape.queries / shape.heads;
        m_first = ((shape.firstHead + head) * shape.length + shape.firstQuery + query) * shape.length +
                  shape.firstKey;
        m_keys = shape.keys;
        m_seen = shape.causal ? query + 1 + shape.keys - shape.queries : shape.keys;
        if (bias.values)
            m_bias = bias.values + entry * bias.batchStride + query * bias.queryStride;
        if (m_drops)
            m_sample = samples[entry];
    }

    __device__ bool sees(std::int64_t key) const { return key < m_seen; }
    __device__ W score(const T* scores, std::int64_t key, W scale) const
    {
        return scale * widen(scores[key]) + (m_bias ? widen(m_bias[key]) : W(0));
    }

    /// handle(key, turn) for every key of this thread; the turn counts its groups.
    template <typename Handle>
    __device__ void forEachKey(const Handle& handle) const
    {
        const int half = static_cast<int>(threadIdx.x) % kWarp / kLanes;
        const std::int64_t end = (m_first + m_keys + kDropoutGroup - 1) / kDropoutGroup;
        int turn = 0;
        for (std::int64_t group = m_first / kDropoutGroup + half; group < end; group += kGroupsAtOnce) {
            for (int word = 0; word < 4; ++word) {
                const std::int64_t key = group * kDropoutGroup + word * kLanes + m_lane - m_first;
                if (key >= 0 && key < m_keys)
                    handle(key, turn);
            }
            ++turn;
        }
    }

    /// What the dropout multiplies the key of the turn with.
    __device__ W factor(std::int64_t key, int turn)
    {
        if (!m_drops)
            return W(1);
        const auto word = static_cast<unsigned>((m_first + key) % kDropoutGroup / kLanes);
        return keptInTurn(key, turn) >> word & 1 ? static_cast<W>(m_rates.scale) : W(0);
    }

private:
    static constexpr int kRemembered = 15; // turns of four bits; the last four bits are for what comes behind

    /// Words are drawn once in a turn, and not again in another pass over up to 1,920 keys.
    __device__ unsigned keptInTurn(std::int64_t key, int turn)
    {
        const int place = turn < kRemembered ? turn : kRemembered;
        if (m_drawn < turn || (place == kRemembered && m_drawn != turn)) {
            const std::uint64_t kept = keptOfLane((m_first + key) / kDropoutGroup, m_lane, m_sample, m_rates);
            m_kept = (m_kept & ~(std::uint64_t{15} << 4 * place)) | kept << 4 * place;
            m_drawn = turn;
        }
        return static_cast<unsigned>(m_kept >> 4 * place & 15);
    }

    const DropoutRates& m_rates;
    bool m_drops;
    int m_lane;
    std::int64_t m_first; ///< element of the sample
    std::int64_t m_keys;
    std::int64_t m_seen;
    const T* m_bias = nullptr;
    std::uint64_t m_sample = 0;
    int m_drawn = -1; ///< the last turn
    std::uint64_t m_kept = 0;
};

__device__ std::int64_t rowOfWarp()
{
    return std::int64_t{blockIdx.x} * kWarps + threadIdx.x / kWarp;
}

template <typename T>
__global__ void probabilitiesOf(const T* scores, const __grid_constant__ ScoreShape shape, double factor,
                                ScoreBias<T> bias, const std::uint64_t* samples,
                                const __grid_constant__ DropoutRates rates, T* probabilities,
                                Wide<T>* logSums)
{
    using W = Wide<T>;
    const std::int64_t row = rowOfWarp();
    if (row >= shape.rows())
        return;
    const auto scale = static_cast<W>(factor);
    const T* const z = scores + row * shape.keys;
    T* const y = probabilities + row * shape.keys;
    ScoreRow<T> mine(row, shape, bias, samples, rates);
    LogSum<W> sum;
    mine.forEachKey([&](std::int64_t key, int) {
        if (mine.sees(key))
            sum.add(mine.score(z, key, scale));
    });
    const W logSum = warpLogSum(sum).value();
    mine.forEachKey([&](std::int64_t key, int turn) {
        if (!mine.sees(key)) {
            y[key] = narrow<T>(W(0));
            return;
        }
        const W p = std::exp(mine.score(z, key, scale) - logSum);
        y[key] = narrow<T>(p * mine.factor(key, turn));
    });
    if (threadIdx.x % kWarp == 0)
        logSums[row] = logSum;
}

template <typename T>
__global__ void scoreGradientOf(const T* gradient, const T* scores, const __grid_constant__ ScoreShape shape,
                                double factor, ScoreBias<T> bias, const std::uint64_t* samples,
                                const __grid_constant__ DropoutRates rates, const Wide<T>* logSums,
                                T* scoreGradient)
{
    using W = Wide<T>;
    const std::int64_t row = rowOfWarp();
    if (row >= shape.rows())
        return;
    const auto scale = static_cast<W>(factor);
    const T* const z = scores + row * shape.keys;
    const T* const dy = gradient + row * shape.keys;
    T* const dz = scoreGradient + row * shape.keys;
    const W logSum = logSums[row];
    ScoreRow<T> mine(row, shape, bias, samples, rates);
    W sum = 0;
    mine.forEachKey([&](std::int64_t key, int turn) {
        if (mine.sees(key))
            sum += std::exp(mine.score(z, key, scale) - logSum) * widen(dy[key]) * mine.factor(key, turn);
    });
    sum = warpSum(sum);
    mine.forEachKey([&](std::int64_t key, int turn) {
        if (!mine.sees(key)) {
            dz[key] = narrow<T>(W(0));
            return;
        }
        const W p = std::exp(mine.score(z, key, scale) - logSum);
        dz[key] = narrow<T>(scale * p * (widen(dy[key]) * mine.factor(key, turn) - sum));
    });
}

unsigned blocksOf(const ScoreShape& shape)
{
    return static_cast<unsigned>((shape.rows() + kWarps - 1) / kWarps);
}

} // namespace

template <typename T>
cudaError_t launchProbabilities(const T* scores, const ScoreShape& shape, double scale,
                                const ScoreBias<T>& bias, const std::uint64_t* samples,
                                const DropoutRates& dropout, T* probabilities, Wide<T>* logSums,
                                cudaStream_t stream)
{
    if (shape.rows() == 0)
        return cudaSuccess;
    if constexpr (sizeof(T) == 2) {
        if (hasPackedScores<T>(shape, bias, {scores, probabilities}))
            return launchPackedProbabilities(scores, shape, static_cast<float>(scale), bias, samples, dropout,
                                             probabilities, logSums, stream);
    }
    return TRAINYARD_LAUNCH(probabilitiesOf<T>, blocksOf(shape), kThreads, stream, scores, shape, scale, bias,
                            samples, dropout, probabilities, logSums);
}

template <typename T>
cudaError_t launchScoreGradient(const T* gradient, const T* scores, const ScoreShape& shape, double scale,
                                const ScoreBias<T>& bias, const std::uint64_t* samples,
                                const DropoutRates& dropout, const Wide<T>* logSums, T* scoreGradient,
                                cudaStream_t stream)
{
    if (shape.rows() == 0)
        return cudaSuccess;
    if constexpr (sizeof(T) == 2) {
        if (hasPackedScores<T>(shape, bias, {gradient, scores, scoreGradient}))
            return launchPackedScoreGradient(gradient, scores, shape, static_cast<float>(scale), bias,
                                             samples, dropout, logSums, scoreGradient, stream);
    }
    return TRAINYARD_LAUNCH(scoreGradientOf<T>, blocksOf(shape), kThreads, stream, gradient, scores, shape,
                            scale, bias, samples, dropout, logSums, scoreGradient);
}

#define TRAINYARD_INSTANTIATE(T)                                                                             \
    template cudaError_t launchProbabilities<T>(const T*, const ScoreShape&, double, const ScoreBias<T>&,    \
                                                const std::uint64_t*, const DropoutRates&, T*, Wide<T>*,     \
                                                cudaStream_t);                                               \
    template cudaError_t launchScoreGradient<T>(const T*, const T*, const ScoreShape&, double,               \
                                                const ScoreBias<T>&, const std::uint64_t*,                   \
                                                const DropoutRates&, const Wide<T>*, T*, cudaStream_t);
TRAINYARD_INSTANTIATE(float)
TRAINYARD_INSTANTIATE(double)
TRAINYARD_INSTANTIATE(BFloat16)
TRAINYARD_INSTANTIATE(Float16)

} // namespace trainyard
