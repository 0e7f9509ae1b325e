#include "engine/device/cuda/packed_norm.h"

#include <cmath>
#include <type_traits>

#include "engine/device/cuda/block_sums.h"
#include "engine/device/cuda/pack_dropout.h"

namespace trainyard {

namespace {

constexpr int kLanePack = kWarp * kPackElements; // columns that a warp has at once
constexpr std::int64_t kMaxForwardWidth = 8 * kLanePack;
constexpr std::int64_t kMaxBackwardWidth = 4 * kLanePack; // three sums of each column stay in registers

// Of the backward pass: few enough threads for the registers that the sums take, and about as many blocks as
// a device of a hundred multiprocessors has at once, for each has a slot.
constexpr int kGradientThreads = 128;
constexpr int kGradientWarps = kGradientThreads / kWarp;
constexpr std::int64_t kGradientBlocks = 384;
static_assert(kGradientBlocks <= kNormSlots);

__device__ int laneHere()
{
    return static_cast<int>(threadIdx.x) % kWarp;
}
__device__ int columnOf(int turn)
{
    return (turn * kWarp + laneHere()) * kPackElements;
}

/// What is kept of the lane's pack of a row, all of it where nothing is dropped.
class PackDropout {
public:
    __device__ PackDropout(const TokenPlace* places, std::int64_t row, int width, const DropoutRates& rates)
        : m_rates(rates), m_isOn(places != nullptr), m_scale(m_isOn ? static_cast<float>(rates.scale) : 1.0f)
    {
        if (!m_isOn)
            return;
        m_sample = places[row].sample;
        m_firstGroup = places[row].position * (width / kDropoutGroup);
    }

    /// All lanes of the warp call it.
    __device__ unsigned kept(int turn) const
    {
        return m_isOn ? keptOfPack(m_firstGroup + columnOf(turn) / kDropoutGroup, m_sample, m_rates) : 0xffu;
    }
    __device__ float drop(float value, unsigned kept, int i) const
    {
        return kept >> i & 1 ? value * m_scale : 0.0f;
    }

private:
    const DropoutRates& m_rates;
    bool m_isOn;
    float m_scale;
    std::uint64_t m_sample = 0;
    std::int64_t m_firstGroup = 0;
};

template <typename T, int Packs>
__global__ void packedAddNorm(const __grid_constant__ AddNorm<T> s, std::int64_t rows, int width,
                              float epsilon, const __grid_constant__ DropoutRates rates)
{
    const std::int64_t row = std::int64_t{blockIdx.x} * kWarps + threadIdx.x / kWarp;
    if (row >= rows)
        return;
    const std::int64_t first = row * width;
    const PackDropout dropout(s.places, row, width, rates);
    float x[Packs][kPackElements] = {};
    float sum = 0;
#pragma unroll
    for (int turn = 0; turn < Packs; ++turn) {
        const unsigned kept = dropout.kept(turn);
        const int column = columnOf(turn);
        if (column >= width)
            continue;
        const Pack<T> input = loadPack(s.input + first + column, true);
        const Pack<T> bias = s.bias ? loadPack(s.bias + column, true) : Pack<T>{};
        const Pack<T> residual = s.residual ? loadPack(s.residual + first + column, true) : Pack<T>{};
        Pack<T> rounded;
        for (int i = 0; i < kPackElements; ++i) {
            const float value = dropout.drop(widen(input.at[i]) + widen(bias.at[i]), kept, i);
            rounded.at[i] = narrow<T>(value + widen(residual.at[i]));
            x[turn][i] = widen(rounded.at[i]);
            sum += x[turn][i];
        }
        if (s.sum)
            storePack(s.sum + first + column, rounded, true);
    }
    const float mean = warpSum(sum) / static_cast<float>(width);
    // Not E[x^2] - E[x]^2, which would cancel in float32.
    float squares = 0;
#pragma unroll
    for (int turn = 0; turn < Packs; ++turn) {
        for (int i = 0; i < kPackElements && columnOf(turn) < width; ++i)
            squares += (x[turn][i] - mean) * (x[turn][i] - mean);
    }
    const float variance = warpSum(squares) / static_cast<float>(width);
    const float scale = 1.0f / std::sqrt(variance + epsilon);
#pragma unroll
    for (int turn = 0; turn < Packs; ++turn) {
        const int column = columnOf(turn);
        if (column >= width)
            continue;
        const Pack<T> weight = loadPack(s.weight + column, true);
        const Pack<T> shift = loadPack(s.shift + column, true);
        Pack<T> y;
        for (int i = 0; i < kPackElements; ++i)
            y.at[i] = narrow<T>((x[turn][i] - mean) * scale * widen(weight.at[i]) + widen(shift.at[i]));
        storePack(s.output + first + column, y, true);
    }
    if (laneHere() == 0) {
        s.statistics[2 * row] = mean;
        s.statistics[2 * row + 1] = scale;
    }
}

/// Sums of the lane's columns over the rows of a warp.
template <int Packs>
struct NormSums {
    float weight[Packs][kPackElements] = {};
    float shift[Packs][kPackElements] = {};
    float bias[Packs][kPackElements] = {};
};

template <typename T, int Packs>
__device__ void packedRowGradient(const AddNormGradient<T>& s, std::int64_t row, int width,
                                  const DropoutRates& rates, NormSums<Packs>& sums)
{
    const std::int64_t first = row * width;
    const float mean = s.statistics[2 * row];
    const float scale = s.statistics[2 * row + 1];
    Pack<T> dy[Packs];
    Pack<T> x[Packs];
    float sumP = 0;
    float sumPH = 0;
#pragma unroll
    for (int turn = 0; turn < Packs; ++turn) {
        const int column = columnOf(turn);
        if (column >= width)
            continue;
        dy[turn] = loadPack(s.gradient + first + column, true);
        x[turn] = loadPack(s.sum + first + column, true);
        const Pack<T> weight = loadPack(s.weight + column, true);
        for (int i = 0; i < kPackElements; ++i) {
            const float gradient = widen(dy[turn].at[i]);
            const float h = (widen(x[turn].at[i]) - mean) * scale;
            const float p = gradient * widen(weight.at[i]);
            sumP += p;
            sumPH += p * h;
            sums.weight[turn][i] += gradient * h;
            sums.shift[turn][i] += gradient;
        }
    }
    const float meanP = warpSum(sumP) / static_cast<float>(width);
    const float meanPH = warpSum(sumPH) / static_cast<float>(width);
    const PackDropout dropout(s.places, row, width, rates);
#pragma unroll
    for (int turn = 0; turn < Packs; ++turn) {
        const unsigned kept = dropout.kept(turn);
        const int column = columnOf(turn);
        if (column >= width)
            continue;
        const Pack<T> weight = loadPack(s.weight + column, true);
        Pack<T> ofSum;
        Pack<T> ofInput;
        for (int i = 0; i < kPackElements; ++i) {
            const float h = (widen(x[turn].at[i]) - mean) * scale;
            const float ds = scale * (widen(dy[turn].at[i]) * widen(weight.at[i]) - meanP - h * meanPH);
            const float dx = dropout.drop(ds, kept, i);
            ofSum.at[i] = narrow<T>(ds);
            ofInput.at[i] = narrow<T>(dx);
            sums.bias[turn][i] += dx;
        }
        storePack(s.sumGradient + first + column, ofSum, true);
        if (s.inputGradient)
            storePack(s.inputGradient + first + column, ofInput, true);
    }
}

// Warps take every so-manieth row, and then the warps of a block are added in their order.
template <typename T, int Packs>
__global__ void __launch_bounds__(kGradientThreads, 3)
    packedAddNormGradient(const __grid_constant__ AddNormGradient<T> s, std::int64_t rows, int width,
                          const __grid_constant__ DropoutRates rates, float* slots)
{
    constexpr int kColumns = Packs * kLanePack;
    TRAINYARD_SHARED(float, ofBlock, [3 * kColumns]);
    const int warp = static_cast<int>(threadIdx.x) / kWarp;
    NormSums<Packs> sums;
    const std::int64_t step = std::int64_t{gridDim.x} * kGradientWarps;
    for (std::int64_t row = std::int64_t{blockIdx.x} * kGradientWarps + warp; row < rows; row += step)
        packedRowGradient<T, Packs>(s, row, width, rates, sums);
    for (int turn = 0; turn < kGradientWarps; ++turn) {
        if (warp == turn) {
#pragma unroll
            for (int pack = 0; pack < Packs; ++pack) {
                for (int i = 0; i < kPackElements; ++i) {
                    const int column = columnOf(pack) + i;
                    const auto add = [&](int kind, float value) {
                        float& sum = ofBlock[kind * kColumns + column];
                        sum = turn == 0 ? value : sum + value;
                    };
                    add(0, sums.weight[pack][i]);
                    add(1, sums.shift[pack][i]);
                    add(2, sums.bias[pack][i]);
                }
            }
        }
        __syncthreads();
    }
    float* const slot = slots + std::int64_t{blockIdx.x} * 3 * width;
    for (int kind = 0; kind < 3; ++kind) {
        for (int column = static_cast<int>(threadIdx.x); column < width; column += kGradientThreads)
            slot[std::int64_t{kind} * width + column] = ofBlock[kind * kColumns + column];
    }
}

/// handle(packs) as a constant: the fewest of these that have a row.
template <int... Packs, typename Handle>
cudaError_t withPacks(std::int64_t width, const Handle& handle)
{
    cudaError_t launched = cudaErrorInvalidValue;
    static_cast<void>(
        ((width <= Packs * kLanePack ? (launched = handle(std::integral_constant<int, Packs>()), true)
                                     : false) ||
         ...));
    return launched;
}

} // namespace

template <typename T>
bool hasPackedNorm(const AddNorm<T>& t, std::int64_t width)
{
    return hasNormKernel(width) && width <= kMaxForwardWidth &&
           arePackAligned<T>({t.input, t.bias, t.residual, t.weight, t.shift, t.sum, t.output});
}

template <typename T>
bool hasPackedNorm(const AddNormGradient<T>& t, std::int64_t width)
{
    return hasNormKernel(width) && width <= kMaxBackwardWidth &&
           arePackAligned<T>({t.gradient, t.sum, t.weight, t.sumGradient, t.inputGradient});
}

template <typename T>
cudaError_t launchPackedAddNorm(const AddNorm<T>& tensors, std::int64_t rows, std::int64_t width,
                                float epsilon, const DropoutRates& dropout, cudaStream_t stream)
{
    const auto blocks = static_cast<unsigned>((rows + kWarps - 1) / kWarps);
    return withPacks<1, 2, 3, 4, 8>(width, [&](auto packs) {
        return TRAINYARD_LAUNCH((packedAddNorm<T, packs()>), blocks, kThreads, stream, tensors, rows,
                                static_cast<int>(width), epsilon, dropout);
    });
}

template <typename T>
cudaError_t launchPackedAddNormGradient(const AddNormGradient<T>& tensors, std::int64_t rows,
                                        std::int64_t width, const DropoutRates& dropout, float* slots,
                                        unsigned& blocks, cudaStream_t stream)
{
    blocks = static_cast<unsigned>(
        std::clamp<std::int64_t>((rows + kGradientWarps - 1) / kGradientWarps, 1, kGradientBlocks));
    return withPacks<1, 2, 3, 4>(width, [&](auto packs) {
        return TRAINYARD_LAUNCH((packedAddNormGradient<T, packs()>), blocks, kGradientThreads, stream,
                                tensors, rows, static_cast<int>(width), dropout, slots);
    });
}

#define TRAINYARD_INSTANTIATE(T)                                                                             \
    template bool hasPackedNorm<T>(const AddNorm<T>&, std::int64_t);                                         \
    template bool hasPackedNorm<T>(const AddNormGradient<T>&, std::int64_t);                                 \
    template cudaError_t launchPackedAddNorm<T>(const AddNorm<T>&, std::int64_t, std::int64_t, float,        \
                                                const DropoutRates&, cudaStream_t);                          \
    template cudaError_t launchPackedAddNormGradient<T>(const AddNormGradient<T>&, std::int64_t,             \
                                                        std::int64_t, const DropoutRates&, float*,           \
                                                        unsigned&, cudaStream_t);
TRAINYARD_INSTANTIATE(BFloat16)
TRAINYARD_INSTANTIATE(Float16)

} // namespace trainyard
