#include "engine/device/cuda/packed_scores.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "engine/device/cuda/block_sums.h"
#include "engine/device/cuda/pack_dropout.h"

namespace trainyard {

namespace {

constexpr int kMaxPacks = 4; // of a lane

/// A row of scores, of which `Lanes` neighbouring lanes have every Lanes-th pack each. Lanes behind the last
/// row take part in shuffles, and neither load nor store.
template <typename T, int Lanes>
class PackedRow {
public:
    __device__ PackedRow(const ScoreShape& shape, const ScoreBias<T>& bias, const std::uint64_t* samples)
        : m_lane(static_cast<int>(threadIdx.x) % Lanes), m_keys(static_cast<int>(shape.keys))
    {
        const auto heads = static_cast<unsigned>(shape.heads);
        const unsigned entry = blockIdx.x / heads;
        const unsigned head = blockIdx.x % heads;
        const std::int64_t asked = std::int64_t{blockIdx.y} * (kThreads / Lanes) + threadIdx.x / Lanes;
        const std::int64_t query = asked < shape.queries ? asked : shape.queries - 1;
        m_isRow = asked < shape.queries;
        m_row = std::int64_t{blockIdx.x} * shape.queries + query;
        m_seen = shape.causal ? static_cast<int>(query + 1 + shape.keys - shape.queries) : m_keys;
        m_firstGroup = (((shape.firstHead + head) * shape.length + shape.firstQuery + query) * shape.length +
                        shape.firstKey) /
                       kDropoutGroup;
        if (bias.values)
            m_bias = bias.values + entry * bias.batchStride + query * bias.queryStride;
        if (samples)
            m_sample = samples[entry];
    }

    __device__ std::int64_t row() const { return m_row; }
    __device__ bool isFirstLane() const { return m_isRow && m_lane == 0; }

    /// scale z + bias of the lane's `turn`-th pack; minus infinity where the query does not see the key.
    __device__ void load(const T* scores, int turn, float scale, float (&x)[kPackElements]) const
    {
        const int key = keyOf(turn);
        if (!m_isRow || key >= m_keys) {
            for (float& one : x)
                one = m_isRow ? -std::numeric_limits<float>::infinity() : 0.0f;
            return;
        }
        const Pack<T> z = loadPack(scores + m_row * m_keys + key, true);
        const Pack<T> added = m_bias ? loadPack(m_bias + key, true) : Pack<T>{};
        for (int i = 0; i < kPackElements; ++i)
            x[i] = key + i < m_seen ? scale * widen(z.at[i]) + widen(added.at[i])
                                    : -std::numeric_limits<float>::infinity();
    }
    __device__ Pack<T> loadGradient(const T* gradient, int turn) const
    {
        const int key = keyOf(turn);
        return m_isRow && key < m_keys ? loadPack(gradient + m_row * m_keys + key, true) : Pack<T>{};
    }
    __device__ void store(T* to, int turn, const Pack<T>& pack) const
    {
        const int key = keyOf(turn);
        if (m_isRow && key < m_keys)
            storePack(to + m_row * m_keys + key, pack, true);
    }

    __device__ unsigned kept(int turn, const DropoutRates& rates) const
    {
        return keptOfPack(m_firstGroup + keyOf(turn) / kDropoutGroup, m_sample, rates);
    }

private:
    __device__ int keyOf(int turn) const { return (turn * Lanes + m_lane) * kPackElements; }

    int m_lane;
    int m_keys;
    int m_seen;
    bool m_isRow;
    std::int64_t m_row;
    std::int64_t m_firstGroup;
    const T* m_bias = nullptr;
    std::uint64_t m_sample = 0;
};

template <int Lanes>
__device__ float lanesMax(float value)
{
    for (int offset = Lanes / 2; offset > 0; offset /= 2)
        value = std::fmax(value, __shfl_xor_sync(kAllLanes, value, offset));
    return value;
}

template <typename T, int Lanes, int Packs>
__global__ void packedProbabilities(const T* scores, const __grid_constant__ ScoreShape shape, float scale,
                                    ScoreBias<T> bias, const std::uint64_t* samples,
                                    const __grid_constant__ DropoutRates rates, T* probabilities,
                                    float* logSums)
{
    const PackedRow<T, Lanes> mine(shape, bias, samples);
    float x[Packs][kPackElements];
    float largest = -std::numeric_limits<float>::infinity();
#pragma unroll
    for (int turn = 0; turn < Packs; ++turn) {
        mine.load(scores, turn, scale, x[turn]);
        for (const float one : x[turn])
            largest = std::fmax(largest, one);
    }
    largest = lanesMax<Lanes>(largest);
    float sum = 0;
#pragma unroll
    for (int turn = 0; turn < Packs; ++turn) {
        for (float& one : x[turn]) {
            one = quickExp(one - largest);
            sum += one;
        }
    }
    sum = lanesSum<Lanes>(sum);
    const float factor = (samples ? static_cast<float>(rates.scale) : 1.0f) / sum;
#pragma unroll
    for (int turn = 0; turn < Packs; ++turn) {
        const unsigned kept = samples ? mine.kept(turn, rates) : 0xffu;
        Pack<T> y;
        for (int i = 0; i < kPackElements; ++i)
            y.at[i] = narrow<T>(kept >> i & 1 ? x[turn][i] * factor : 0.0f);
        mine.store(probabilities, turn, y);
    }
    if (mine.isFirstLane())
        logSums[mine.row()] = largest + std::log(sum);
}

template <typename T, int Lanes, int Packs>
__global__ void packedScoreGradient(const T* gradient, const T* scores,
                                    const __grid_constant__ ScoreShape shape, float scale, ScoreBias<T> bias,
                                    const std::uint64_t* samples, const __grid_constant__ DropoutRates rates,
                                    const float* logSums, T* scoreGradient)
{
    const PackedRow<T, Lanes> mine(shape, bias, samples);
    const float logSum = logSums[mine.row()];
    const float factor = samples ? static_cast<float>(rates.scale) : 1.0f;
    float p[Packs][kPackElements];
    float dp[Packs][kPackElements];
    float sum = 0;
#pragma unroll
    for (int turn = 0; turn < Packs; ++turn) {
        mine.load(scores, turn, scale, p[turn]);
        const Pack<T> dy = mine.loadGradient(gradient, turn);
        const unsigned kept = samples ? mine.kept(turn, rates) : 0xffu;
        for (int i = 0; i < kPackElements; ++i) {
            p[turn][i] = quickExp(p[turn][i] - logSum);
            dp[turn][i] = kept >> i & 1 ? factor * widen(dy.at[i]) : 0.0f;
            sum += p[turn][i] * dp[turn][i];
        }
    }
    sum = lanesSum<Lanes>(sum);
#pragma unroll
    for (int turn = 0; turn < Packs; ++turn) {
        Pack<T> dz;
        for (int i = 0; i < kPackElements; ++i)
            dz.at[i] = narrow<T>(scale * p[turn][i] * (dp[turn][i] - sum));
        mine.store(scoreGradient, turn, dz);
    }
}

/// handle(lanes, packs) as constants: the fewest that have a row.
template <typename Handle>
cudaError_t withPacks(std::int64_t keys, const Handle& handle)
{
    using std::integral_constant;
    if (keys <= 16 * kPackElements)
        return handle(integral_constant<int, 16>(), integral_constant<int, 1>());
    if (keys <= kWarp * kPackElements)
        return handle(integral_constant<int, kWarp>(), integral_constant<int, 1>());
    if (keys <= 2 * kWarp * kPackElements)
        return handle(integral_constant<int, kWarp>(), integral_constant<int, 2>());
    return handle(integral_constant<int, kWarp>(), integral_constant<int, kMaxPacks>());
}

dim3 gridOf(const ScoreShape& shape, int lanes)
{
    const std::int64_t rowsOfBlock = kThreads / lanes;
    return {static_cast<unsigned>(shape.batch * shape.heads),
            static_cast<unsigned>((shape.queries + rowsOfBlock - 1) / rowsOfBlock)};
}

} // namespace

template <typename T>
bool hasPackedScores(const ScoreShape& shape, const ScoreBias<T>& bias,
                     std::initializer_list<const T*> tensors)
{
    const auto isWhole = [](std::int64_t elements) { return elements % kDropoutGroup == 0; };
    constexpr std::int64_t kMaxGrid = std::numeric_limits<std::int32_t>::max();
    constexpr std::int64_t kMaxQueries = 65535; // one row of blocks each, at least
    return isWhole(shape.keys) && isWhole(shape.length) && isWhole(shape.firstKey) &&
           shape.keys <= kMaxPacks * kWarp * kPackElements && shape.queries <= kMaxQueries &&
           shape.batch * shape.heads <= kMaxGrid && bias.batchStride % kPackElements == 0 &&
           bias.queryStride % kPackElements == 0 && isPackAligned(bias.values) && arePackAligned(tensors);
}

template <typename T>
cudaError_t launchPackedProbabilities(const T* scores, const ScoreShape& shape, float scale,
                                      const ScoreBias<T>& bias, const std::uint64_t* samples,
                                      const DropoutRates& dropout, T* probabilities, float* logSums,
                                      cudaStream_t stream)
{
    return withPacks(shape.keys, [&](auto lanes, auto packs) {
        return TRAINYARD_LAUNCH((packedProbabilities<T, lanes(), packs()>), gridOf(shape, lanes()), kThreads,
                                stream, scores, shape, scale, bias, samples, dropout, probabilities, logSums);
    });
}

template <typename T>
cudaError_t launchPackedScoreGradient(const T* gradient, const T* scores, const ScoreShape& shape,
                                      float scale, const ScoreBias<T>& bias, const std::uint64_t* samples,
                                      const DropoutRates& dropout, const float* logSums, T* scoreGradient,
                                      cudaStream_t stream)
{
    return withPacks(shape.keys, [&](auto lanes, auto packs) {
        return TRAINYARD_LAUNCH((packedScoreGradient<T, lanes(), packs()>), gridOf(shape, lanes()), kThreads,
                                stream, gradient, scores, shape, scale, bias, samples, dropout, logSums,
                                scoreGradient);
    });
}

#define TRAINYARD_INSTANTIATE(T)                                                                             \
    template bool hasPackedScores<T>(const ScoreShape&, const ScoreBias<T>&,                                 \
                                     std::initializer_list<const T*>);                                       \
    template cudaError_t launchPackedProbabilities<T>(const T*, const ScoreShape&, float,                    \
                                                      const ScoreBias<T>&, const std::uint64_t*,             \
                                                      const DropoutRates&, T*, float*, cudaStream_t);        \
    template cudaError_t launchPackedScoreGradient<T>(const T*, const T*, const ScoreShape&, float,          \
                                                      const ScoreBias<T>&, const std::uint64_t*,             \
                                                      const DropoutRates&, const float*, T*, cudaStream_t);
TRAINYARD_INSTANTIATE(BFloat16)
TRAINYARD_INSTANTIATE(Float16)

} // namespace trainyard
