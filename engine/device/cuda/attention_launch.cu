#include "engine/device/cuda/attention_launch.h"

#include <cmath>
#include <limits>

#include "engine/device/cuda/tensor_cores.h"

namespace trainyard {

namespace {

constexpr int kWidth = static_cast<int>(kAttentionWidth);
constexpr int kTile = static_cast<int>(kAttentionTile);
constexpr int kTileWarps = kTile / 16; // each has 16 rows of a tile
constexpr int kTileThreads = kTileWarps * kWarp;
constexpr int kPitch = kWidth + 8; // of rows in shared memory: eight of them begin in different banks
constexpr int kSteps = kWidth / 16;
constexpr float kLowestBias = -1e30f; // two of them have a difference, where infinities have none

template <typename T>
using Tile = T[kTile][kPitch];

/// Of a warp's 16 rows the operand that stays in registers, for each 16 columns.
using Rows = std::uint32_t[kSteps][4];
/// Of a warp's 16 rows and 64 columns.
using Sums = float[8][4];

/// Lane 4 g + q of a warp.
struct Lane {
    int g = static_cast<int>(threadIdx.x) % kWarp / 4;
    int q = static_cast<int>(threadIdx.x) % 4;
    int warp = static_cast<int>(threadIdx.x) / kWarp;
    int i = static_cast<int>(threadIdx.x) % kWarp;
};

/// 64 rows of a head, from the tokens to shared memory: a thread has four packs of them.
template <typename T>
struct TilePacks {
    static constexpr int kPacks = kTile * kWidth / Pack<T>::kCount / kTileThreads;
    Pack<T> at[kPacks];

    __device__ static int rowOf(int i) { return (static_cast<int>(threadIdx.x) + i * kTileThreads) / 8; }
    __device__ static int columnOf() { return static_cast<int>(threadIdx.x) % 8 * 8; }

    __device__ void load(const T* first, std::int64_t stride)
    {
        for (int i = 0; i < kPacks; ++i)
            at[i] = loadPack(first + rowOf(i) * stride + columnOf(), true);
    }
    __device__ void store(Tile<T>& tile) const
    {
        for (int i = 0; i < kPacks; ++i)
            storePack(&tile[rowOf(i)][columnOf()], at[i], true);
    }
};

/// Two tiles at once, when all warps have read those before. Who reads them waits for the block first.
template <typename T>
__device__ void loadTiles(Tile<T>& one, const T* firstOfOne, std::int64_t strideOfOne, Tile<T>& other,
                          const T* firstOfOther, std::int64_t strideOfOther)
{
    TilePacks<T> ofOne;
    ofOne.load(firstOfOne, strideOfOne);
    TilePacks<T> ofOther;
    ofOther.load(firstOfOther, strideOfOther);
    __syncthreads(); // the tiles before have been read
    ofOne.store(one);
    ofOther.store(other);
}

/// `first`: of the warp's first row.
template <typename T>
__device__ void loadRows(Rows& rows, const T* first, std::int64_t stride)
{
    const Lane lane;
    const auto pair = [&](int row, int column) {
        return *reinterpret_cast<const std::uint32_t*>(first + row * stride + column);
    };
    for (int step = 0; step < kSteps; ++step) {
        const int column = 16 * step + 2 * lane.q;
        rows[step][0] = pair(lane.g, column);
        rows[step][1] = pair(lane.g + 8, column);
        rows[step][2] = pair(lane.g, column + 8);
        rows[step][3] = pair(lane.g + 8, column + 8);
    }
}

/// sums [16, 8 Columns] += rows times the transpose of 8 Columns rows of a tile.
template <typename T, int Columns>
__device__ void addProductOfRows(float (&sums)[Columns][4], const Rows& rows, const T (*tile)[kPitch])
{
    const Lane lane;
#pragma unroll
    for (int step = 0; step < kSteps; ++step) {
#pragma unroll
        for (int n = 0; n < Columns; n += 2) {
            std::uint32_t b[4];
            const int row = 8 * n + lane.i / 16 * 8 + lane.i % 8;
            loadMatrices<false>(b, &tile[row][16 * step + lane.i / 8 % 2 * 8]);
            multiplyAdd<T>(sums[n], rows[step], b[0], b[1]);
            multiplyAdd<T>(sums[n + 1], rows[step], b[2], b[3]);
        }
    }
}

/// sums [16, 64] += left [16, 8 Columns] times as many rows of a tile.
template <typename T, int Columns>
__device__ void addProduct(Sums& sums, const float (&left)[Columns][4], const T (*tile)[kPitch])
{
    const Lane lane;
#pragma unroll
    for (int step = 0; step < Columns / 2; ++step) {
        const std::uint32_t a[4] = {packTwo<T>(left[2 * step][0], left[2 * step][1]),
                                    packTwo<T>(left[2 * step][2], left[2 * step][3]),
                                    packTwo<T>(left[2 * step + 1][0], left[2 * step + 1][1]),
                                    packTwo<T>(left[2 * step + 1][2], left[2 * step + 1][3])};
#pragma unroll
        for (int n = 0; n < 8; n += 2) {
            std::uint32_t b[4];
            const int row = 16 * step + lane.i % 16;
            loadMatrices<true>(b, &tile[row][8 * n + lane.i / 16 * 8]);
            multiplyAdd<T>(sums[n], a, b[0], b[1]);
            multiplyAdd<T>(sums[n + 1], a, b[2], b[3]);
        }
    }
}

/// sums * factor of the warp's rows to rows of 64 numbers.
template <typename T>
__device__ void storeRows(T* first, std::int64_t stride, const Sums& sums, float above, float below)
{
    const Lane lane;
    for (int n = 0; n < 8; ++n) {
        T* const to = first + lane.g * stride + 8 * n + 2 * lane.q;
        *reinterpret_cast<std::uint32_t*>(to) = packTwo<T>(sums[n][0] * above, sums[n][1] * above);
        *reinterpret_cast<std::uint32_t*>(to + 8 * stride) =
            packTwo<T>(sums[n][2] * below, sums[n][3] * below);
    }
}

/// Over the four lanes that have a row.
__device__ float rowSum(float value)
{
    value += __shfl_xor_sync(kAllLanes, value, 1);
    return value + __shfl_xor_sync(kAllLanes, value, 2);
}
__device__ float rowMax(float value)
{
    value = std::fmax(value, __shfl_xor_sync(kAllLanes, value, 1));
    return std::fmax(value, __shfl_xor_sync(kAllLanes, value, 2));
}
__device__ std::uint32_t rowBits(std::uint32_t value)
{
    value |= __shfl_xor_sync(kAllLanes, value, 1);
    return value | __shfl_xor_sync(kAllLanes, value, 2);
}

/// Where a block's head of a sequence has its numbers.
template <typename T>
struct HeadPlaces {
    std::int64_t stride;  ///< from token to token
    std::int64_t query;   ///< of the first token; keys and values follow
    std::int64_t part;    ///< from queries to keys and to values
    std::int64_t context; ///< of the first token
    std::int64_t contextStride;
    std::int64_t row; ///< of the first token, among rows of all heads
    const T* bias;

    __device__ HeadPlaces(const AttentionShape& s, const AttentionInput<T>& input)
    {
        const std::int64_t sequence = blockIdx.z;
        const std::int64_t head = blockIdx.y;
        part = s.heads * kWidth;
        stride = 3 * part;
        contextStride = part;
        query = sequence * s.length * stride + head * kWidth;
        context = sequence * s.length * part + head * kWidth;
        row = (sequence * s.heads + head) * s.length;
        bias = input.bias ? input.bias + sequence * input.biasStride : nullptr;
    }
};

/// Of a key, in powers of 2.
template <typename T>
__device__ float biasOf(const T* bias, std::int64_t key)
{
    return bias ? std::fmax(widen(bias[key]) * kLog2E, kLowestBias) : 0.0f;
}

/// 2^x of what is at most 0, or nearly so: numbers below 2^-126 may be 0.
__device__ float powerOf2(float x)
{
#if defined(__CUDA_ARCH__)
    float power;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(power) : "f"(x));
    return power;
#else
    return std::exp2(x);
#endif
}

/// Scores in powers of 2 from products of queries (rows) and keys (columns).
template <typename T>
__device__ void scoresOf(Sums& x, float factor, const T* bias, int firstQuery, int firstKey, bool isDiagonal)
{
    if (!bias && !isDiagonal) {
        for (auto& columns : x) {
            for (float& score : columns)
                score *= factor;
        }
        return;
    }
    const Lane lane;
    for (int n = 0; n < 8; ++n) {
        for (int odd = 0; odd < 2; ++odd) {
            const int key = firstKey + 8 * n + 2 * lane.q + odd;
            const float added = biasOf(bias, key);
            for (int below = 0; below < 2; ++below) {
                float& score = x[n][2 * below + odd];
                const bool isLater = isDiagonal && key > firstQuery + lane.g + 8 * below;
                score = isLater ? -std::numeric_limits<float>::infinity() : score * factor + added;
            }
        }
    }
}

/// Which of a row's 64 keys are kept: those that the four lanes of a row draw, put together. The words of a
/// Philox block decide four keys of the same lane, so none is drawn twice.
__device__ std::uint64_t drawRow(Sums& p, int below, std::int64_t group, std::uint64_t sample,
                                 const DropoutRates& rates)
{
    const Lane lane;
    std::uint32_t low = 0;
    std::uint32_t high = 0;
    for (int half = 0; half < 2; ++half) {
        for (int odd = 0; odd < 2; ++odd) {
            const int column = 8 * half + 2 * lane.q + odd;
            const unsigned kept = keptOfLane(group, column, sample, rates);
            low |= (kept & 1) << column | (kept >> 1 & 1) << (16 + column);
            high |= (kept >> 2 & 1) << column | (kept >> 3 & 1) << (16 + column);
            for (int word = 0; word < 4; ++word) {
                if (!(kept >> word & 1))
                    p[2 * word + half][2 * below + odd] = 0;
            }
        }
    }
    return rowBits(low) | std::uint64_t{rowBits(high)} << 32;
}

template <typename T>
__global__ void __launch_bounds__(kTileThreads, 3)
    attentionOfTile(const __grid_constant__ AttentionInput<T> input, const __grid_constant__ AttentionShape s,
                    const __grid_constant__ DropoutRates rates,
                    const __grid_constant__ AttentionResult<T> result)
{
    TRAINYARD_SHARED(T, keys, [kTile][kPitch]);
    TRAINYARD_SHARED(T, values, [kTile][kPitch]);
    const Lane lane;
    const HeadPlaces<T> places(s, input);
    const int firstQuery = static_cast<int>(blockIdx.x) * kTile + 16 * lane.warp;
    const int tiles = s.causal ? static_cast<int>(blockIdx.x) + 1 : static_cast<int>(s.length / kTile);
    const T* const keysOfHead = input.queryKeyValue + places.query + places.part;
    const T* const valuesOfHead = keysOfHead + places.part;
    Rows query;
    loadRows(query, input.queryKeyValue + places.query + firstQuery * places.stride, places.stride);
    Sums out = {};
    float largest[2] = {-std::numeric_limits<float>::infinity(), -std::numeric_limits<float>::infinity()};
    float sum[2] = {};
    for (int tile = 0; tile < tiles; ++tile) {
        loadTiles<T>(keys, keysOfHead + tile * kTile * places.stride, places.stride, values,
                     valuesOfHead + tile * kTile * places.stride, places.stride);
        __syncthreads();
        Sums p = {};
        addProductOfRows(p, query, keys);
        scoresOf(p, input.scale * kLog2E, places.bias, firstQuery, tile * kTile,
                 s.causal && tile + 1 == tiles);
        for (int below = 0; below < 2; ++below) {
            float here = largest[below];
            for (int n = 0; n < 8; ++n)
                here = std::fmax(here, std::fmax(p[n][2 * below], p[n][2 * below + 1]));
            here = rowMax(here);
            const float shrink = powerOf2(largest[below] - here);
            largest[below] = here;
            sum[below] *= shrink;
            for (int n = 0; n < 8; ++n) {
                for (int odd = 0; odd < 2; ++odd) {
                    float& one = p[n][2 * below + odd];
                    one = powerOf2(one - here);
                    sum[below] += one;
                    out[n][2 * below + odd] *= shrink;
                }
            }
            if (!input.samples)
                continue;
            const int query16 = firstQuery + lane.g + 8 * below;
            const std::int64_t row = (s.firstHead + blockIdx.y) * s.length + query16;
            const std::int64_t group = (row * s.length + tile * kTile) / kDropoutGroup;
            const std::uint64_t kept = drawRow(p, below, group, input.samples[blockIdx.z], rates);
            if (lane.q == 0)
                result.kept[(places.row + query16) * (s.length / kTile) + tile] = kept;
        }
        addProduct<T>(out, p, values);
    }
    const float scale = input.samples ? static_cast<float>(rates.scale) : 1.0f;
    float factor[2];
    for (int below = 0; below < 2; ++below) {
        sum[below] = rowSum(sum[below]);
        factor[below] = scale / sum[below];
        if (lane.q == 0)
            result.logSums[places.row + firstQuery + lane.g + 8 * below] =
                largest[below] + std::log2(sum[below]);
    }
    storeRows(result.context + places.context + firstQuery * places.contextStride, places.contextStride, out,
              factor[0], factor[1]);
}

/// Of each row the sum of context and its gradient, number by number.
__device__ float productOfPairs(std::uint32_t a, std::uint32_t b, BFloat16)
{
    const auto high = [](std::uint32_t pair) { return std::bit_cast<float>(pair & 0xffff0000u); };
    return high(a) * high(b) + high(a << 16) * high(b << 16);
}
__device__ float productOfPairs(std::uint32_t a, std::uint32_t b, Float16)
{
    const auto number = [](std::uint32_t bits) { return widen(Float16{static_cast<std::uint16_t>(bits)}); };
    return number(a) * number(b) + number(a >> 16) * number(b >> 16);
}

template <typename T>
__global__ void __launch_bounds__(kTileThreads, 3)
    queryGradientOfTile(const __grid_constant__ AttentionInput<T> input,
                        const __grid_constant__ AttentionShape s, float keptScale,
                        const __grid_constant__ AttentionResult<T> result,
                        const __grid_constant__ AttentionGradient<T> gradient)
{
    TRAINYARD_SHARED(T, keys, [kTile][kPitch]);
    TRAINYARD_SHARED(T, values, [kTile][kPitch]);
    const Lane lane;
    const HeadPlaces<T> places(s, input);
    const int firstQuery = static_cast<int>(blockIdx.x) * kTile + 16 * lane.warp;
    const int tiles = s.causal ? static_cast<int>(blockIdx.x) + 1 : static_cast<int>(s.length / kTile);
    const T* const keysOfHead = input.queryKeyValue + places.query + places.part;
    const T* const valuesOfHead = keysOfHead + places.part;
    const std::int64_t contextRow = places.context + firstQuery * places.contextStride;
    Rows query;
    Rows upstream;
    loadRows(query, input.queryKeyValue + places.query + firstQuery * places.stride, places.stride);
    loadRows(upstream, gradient.context + contextRow, places.contextStride);
    float product[2] = {};
    float logSum[2];
    {
        Rows context;
        loadRows(context, static_cast<const T*>(result.context) + contextRow, places.contextStride);
        for (int step = 0; step < kSteps; ++step) {
            for (int i = 0; i < 4; ++i)
                product[i % 2] += productOfPairs(context[step][i], upstream[step][i], T());
        }
    }
    for (int below = 0; below < 2; ++below) {
        const std::int64_t row = places.row + firstQuery + lane.g + 8 * below;
        product[below] = rowSum(product[below]);
        logSum[below] = result.logSums[row];
        if (lane.q == 0)
            gradient.products[row] = product[below];
    }
    Sums out = {};
    for (int tile = 0; tile < tiles; ++tile) {
        loadTiles<T>(keys, keysOfHead + tile * kTile * places.stride, places.stride, values,
                     valuesOfHead + tile * kTile * places.stride, places.stride);
        __syncthreads();
        Sums p = {};
        addProductOfRows(p, query, keys);
        scoresOf(p, input.scale * kLog2E, places.bias, firstQuery, tile * kTile,
                 s.causal && tile + 1 == tiles);
        Sums dp = {};
        addProductOfRows(dp, upstream, values);
        for (int below = 0; below < 2; ++below) {
            const std::int64_t row = places.row + firstQuery + lane.g + 8 * below;
            const std::uint64_t kept =
                input.samples ? result.kept[row * (s.length / kTile) + tile] : ~std::uint64_t{0};
            for (int n = 0; n < 8; ++n) {
                for (int odd = 0; odd < 2; ++odd) {
                    const int i = 2 * below + odd;
                    const bool isKept = kept >> (8 * n + 2 * lane.q + odd) & 1;
                    const float probability = powerOf2(p[n][i] - logSum[below]);
                    p[n][i] = probability * ((isKept ? keptScale * dp[n][i] : 0.0f) - product[below]);
                }
            }
        }
        addProduct<T>(out, p, keys);
    }
    storeRows(gradient.queryKeyValue + places.query + firstQuery * places.stride, places.stride, out,
              input.scale, input.scale);
}

constexpr int kHalf = kTile / 2; // queries at once: what a warp sums would not fit its registers otherwise

template <typename T>
__global__ void __launch_bounds__(kTileThreads, 3)
    keyGradientOfTile(const __grid_constant__ AttentionInput<T> input,
                      const __grid_constant__ AttentionShape s, float keptScale,
                      const __grid_constant__ AttentionResult<T> result,
                      const __grid_constant__ AttentionGradient<T> gradient)
{
    TRAINYARD_SHARED(T, queries, [kTile][kPitch]);
    TRAINYARD_SHARED(T, upstream, [kTile][kPitch]);
    TRAINYARD_SHARED(float, logSums, [kTile]);
    TRAINYARD_SHARED(float, products, [kTile]);
    TRAINYARD_SHARED(std::uint64_t, keptOf, [kTile]);
    const Lane lane;
    const HeadPlaces<T> places(s, input);
    const int tile = static_cast<int>(blockIdx.x);
    const int firstKey = tile * kTile + 16 * lane.warp;
    const int tiles = static_cast<int>(s.length / kTile);
    const T* const head = input.queryKeyValue + places.query;
    const float factor = input.scale * kLog2E;
    Rows keys;
    Rows values;
    loadRows(keys, head + places.part + firstKey * places.stride, places.stride);
    loadRows(values, head + 2 * places.part + firstKey * places.stride, places.stride);
    const float bias[2] = {biasOf(places.bias, firstKey + lane.g),
                           biasOf(places.bias, firstKey + lane.g + 8)};
    Sums ofKeys = {};
    Sums ofValues = {};
    for (int queryTile = s.causal ? tile : 0; queryTile < tiles; ++queryTile) {
        loadTiles<T>(queries, head + queryTile * kTile * places.stride, places.stride, upstream,
                     gradient.context + places.context + queryTile * kTile * places.contextStride,
                     places.contextStride);
        for (int i = static_cast<int>(threadIdx.x); i < kTile; i += kTileThreads) {
            const std::int64_t row = places.row + queryTile * kTile + i;
            logSums[i] = result.logSums[row];
            products[i] = gradient.products[row];
            keptOf[i] = input.samples ? result.kept[row * tiles + tile] : ~std::uint64_t{0};
        }
        __syncthreads();
        const bool isDiagonal = s.causal && queryTile == tile;
        for (int first = 0; first < kTile; first += kHalf) {
            float p[kHalf / 8][4] = {};
            float dp[kHalf / 8][4] = {};
            addProductOfRows(p, keys, &queries[first]);
            addProductOfRows(dp, values, &upstream[first]);
            for (int n = 0; n < kHalf / 8; ++n) {
                for (int i = 0; i < 4; ++i) {
                    const int query = first + 8 * n + 2 * lane.q + i % 2;
                    const int key = 16 * lane.warp + lane.g + 8 * (i / 2);
                    const bool isSeen = !isDiagonal || key <= query;
                    const bool isKept = keptOf[query] >> key & 1;
                    const float probability =
                        isSeen ? powerOf2(p[n][i] * factor + (bias[i / 2] - logSums[query])) : 0.0f;
                    p[n][i] = isKept ? keptScale * probability : 0.0f;
                    dp[n][i] = probability * ((isKept ? keptScale * dp[n][i] : 0.0f) - products[query]);
                }
            }
            addProduct<T>(ofValues, p, &upstream[first]);
            addProduct<T>(ofKeys, dp, &queries[first]);
        }
    }
    T* const to = gradient.queryKeyValue + places.query + firstKey * places.stride;
    storeRows(to + places.part, places.stride, ofKeys, input.scale, input.scale);
    storeRows(to + 2 * places.part, places.stride, ofValues, 1.0f, 1.0f);
}

dim3 gridOf(const AttentionShape& s)
{
    return {static_cast<unsigned>(s.length / kTile), static_cast<unsigned>(s.heads),
            static_cast<unsigned>(s.sequences)};
}

} // namespace

bool hasAttentionKernel(const AttentionShape& s)
{
    constexpr std::int64_t kMaxGridRows = 65535; // of gridDim.y and gridDim.z
    return hasTensorCores() && s.length > 0 && s.length % kTile == 0 && s.heads <= kMaxGridRows &&
           s.sequences <= kMaxGridRows;
}

template <typename T>
cudaError_t launchAttention(const AttentionInput<T>& input, const AttentionShape& shape,
                            const DropoutRates& dropout, const AttentionResult<T>& result,
                            cudaStream_t stream)
{
    if (shape.sequences * shape.heads == 0)
        return cudaSuccess;
    return TRAINYARD_LAUNCH(attentionOfTile<T>, gridOf(shape), kTileThreads, stream, input, shape, dropout,
                            result);
}

template <typename T>
cudaError_t launchAttentionGradient(const AttentionInput<T>& input, const AttentionShape& shape,
                                    const DropoutRates& dropout, const AttentionResult<T>& result,
                                    const AttentionGradient<T>& gradient, cudaStream_t stream)
{
    if (shape.sequences * shape.heads == 0)
        return cudaSuccess;
    const float keptScale = input.samples ? static_cast<float>(dropout.scale) : 1.0f;
    const cudaError_t ofQueries = TRAINYARD_LAUNCH(queryGradientOfTile<T>, gridOf(shape), kTileThreads,
                                                   stream, input, shape, keptScale, result, gradient);
    if (ofQueries != cudaSuccess)
        return ofQueries;
    return TRAINYARD_LAUNCH(keyGradientOfTile<T>, gridOf(shape), kTileThreads, stream, input, shape,
                            keptScale, result, gradient);
}

#define TRAINYARD_INSTANTIATE(T)                                                                             \
    template cudaError_t launchAttention<T>(const AttentionInput<T>&, const AttentionShape&,                 \
                                            const DropoutRates&, const AttentionResult<T>&, cudaStream_t);   \
    template cudaError_t launchAttentionGradient<T>(const AttentionInput<T>&, const AttentionShape&,         \
                                                    const DropoutRates&, const AttentionResult<T>&,          \
                                                    const AttentionGradient<T>&, cudaStream_t);
TRAINYARD_INSTANTIATE(BFloat16)
TRAINYARD_INSTANTIATE(Float16)

} // namespace trainyard
