#include "engine/device/cuda/activation_launch.h"

#include <algorithm>
#include <cmath>

#include "engine/device/cuda/column_sums.h"
#include "engine/device/cuda/launch.h"

namespace trainyard {

namespace {

constexpr std::int64_t kBlocks = 1024; // about

template <typename W>
struct Point {
    W value;
    W slope;
};

/// 1 / x within 2^-20, for results that are rounded to 16 bits.
__device__ float quickReciprocal(float x)
{
#if defined(__CUDACC__)
    return __fdividef(1.0f, x);
#else
    return 1.0f / x;
#endif
}

/// Half of erfc(|x| / sqrt(2)), given its density factor e^(-x^2 / 2), within 1e-7: Abramowitz and Stegun,
/// "Handbook of Mathematical Functions", 7.1.26.
__device__ float upperTail(float x, float density)
{
    const float t = quickReciprocal(1.0f + 0.231641888f * std::fabs(x));
    const float series =
        t *
        (0.127414796f + t * (-0.142248368f + t * (0.710706871f + t * (-0.726576014f + t * 0.530702714f))));
    return series * density;
}

/// As pointOf(), for results that are rounded to 16 bits: in a third of the instructions.
template <Activation Kind>
__device__ Point<float> quickPointOf(float x)
{
    if constexpr (Kind == Activation::Gelu) {
        const float density = quickExp(-0.5f * x * x);
        const float tail = upperTail(x, density);
        const float below = x < 0 ? tail : 1.0f - tail;
        return {x * below, below + x * 0.39894228f * density};
    } else if constexpr (Kind == Activation::GeluNew) {
        constexpr float kFactor = 1.59576912f; // 2 sqrt(2 / pi)
        const float s = quickReciprocal(1.0f + quickExp(-kFactor * (x + 0.044715f * x * x * x)));
        return {x * s, s + x * s * (1.0f - s) * kFactor * (1.0f + 0.134145f * x * x)};
    } else if constexpr (Kind == Activation::Swiglu) {
        const float s = quickReciprocal(1.0f + quickExp(-x));
        return {x * s, s + x * s * (1.0f - s)};
    } else {
        return {x > 0 ? x : 0.0f, x > 0 ? 1.0f : 0.0f};
    }
}

template <Activation Kind, typename W>
__device__ Point<W> pointOf(W x)
{
    if constexpr (Kind == Activation::Gelu) {
        const W below = W(0.5) * std::erfc(-x * W(0.70710678118654752));
        const W density = W(0.39894228040143268) * std::exp(W(-0.5) * x * x);
        return {x * below, below + x * density};
    } else if constexpr (Kind == Activation::GeluNew) {
        constexpr W kFactor = W(1.5957691216057308); // 2 sqrt(2 / pi)
        const W s = W(1) / (W(1) + std::exp(-kFactor * (x + W(0.044715) * x * x * x)));
        return {x * s, s + x * s * (W(1) - s) * kFactor * (W(1) + W(0.134145) * x * x)};
    } else if constexpr (Kind == Activation::Swiglu) {
        const W s = W(1) / (W(1) + std::exp(-x));
        return {x * s, s + x * s * (W(1) - s)};
    } else {
        return {x > W(0) ? x : W(0), x > W(0) ? W(1) : W(0)};
    }
}

template <Activation Kind, typename T>
__device__ Point<Wide<T>> pointFor(Wide<T> x)
{
    if constexpr (sizeof(T) == 2)
        return quickPointOf<Kind>(x);
    else
        return pointOf<Kind>(x);
}

/// The pack of columns that a thread has, in every gridDim.y-th row.
template <typename T>
class ColumnPack {
public:
    __device__ explicit ColumnPack(std::int64_t columns)
        : m_columns(columns), m_first(trainyard::firstElement() * Pack<T>::kCount)
    {
    }

    __device__ std::int64_t first() const { return m_first; }
    /// 0 behind the last column.
    __device__ int count() const
    {
        const std::int64_t rest = m_columns - m_first;
        return static_cast<int>(rest < 0 ? 0 : rest < Pack<T>::kCount ? rest : Pack<T>::kCount);
    }
    __device__ Pack<T> load(const T* row) const
    {
        if (isWhole(row))
            return loadPack(row + m_first, true);
        Pack<T> pack{};
        for (int i = 0; i < count(); ++i)
            pack.at[i] = row[m_first + i];
        return pack;
    }
    __device__ void store(T* row, const Pack<T>& pack) const
    {
        if (isWhole(row))
            return storePack(row + m_first, pack, true);
        for (int i = 0; i < count(); ++i)
            row[m_first + i] = pack.at[i];
    }

private:
    __device__ bool isWhole(const T* row) const
    {
        return count() == Pack<T>::kCount && isPackAligned(row + m_first);
    }

    std::int64_t m_columns;
    std::int64_t m_first;
};

template <Activation Kind, typename T>
__global__ void activate(const T* input, const T* bias, T* output, std::int64_t rows, std::int64_t columns)
{
    const ColumnPack<T> mine(columns);
    const Pack<T> added = bias ? mine.load(bias) : Pack<T>{};
    for (std::int64_t row = blockIdx.y; row < rows; row += gridDim.y) {
        Pack<T> x = mine.load(input + row * columns);
        for (int i = 0; i < Pack<T>::kCount; ++i)
            x.at[i] = narrow<T>(pointFor<Kind, T>(widen(x.at[i]) + widen(added.at[i])).value);
        mine.store(output + row * columns, x);
    }
}

template <Activation Kind, typename T>
__global__ void activateGradient(const T* gradient, const T* input, const T* bias, T* inputGradient,
                                 std::int64_t rows, std::int64_t columns, Wide<T>* slots)
{
    using W = Wide<T>;
    const ColumnPack<T> mine(columns);
    const Pack<T> added = bias ? mine.load(bias) : Pack<T>{};
    W sums[Pack<T>::kCount] = {};
    for (std::int64_t row = blockIdx.y; row < rows; row += gridDim.y) {
        const Pack<T> x = mine.load(input + row * columns);
        Pack<T> g = mine.load(gradient + row * columns);
        for (int i = 0; i < Pack<T>::kCount; ++i) {
            const W slope = pointFor<Kind, T>(widen(x.at[i]) + widen(added.at[i])).slope;
            const W product = widen(g.at[i]) * slope;
            sums[i] += product;
            g.at[i] = narrow<T>(product);
        }
        mine.store(inputGradient + row * columns, g);
    }
    for (int i = 0; i < mine.count() && slots; ++i)
        slots[std::int64_t{blockIdx.y} * columns + mine.first() + i] = sums[i];
}

unsigned columnBlocks(std::int64_t columns, std::int64_t perThread)
{
    return static_cast<unsigned>((columns + kThreads * perThread - 1) / (kThreads * perThread));
}

/// Depends on the columns alone (and on the rows where these are fewer), and with it the order of sums.
unsigned rowBlocks(std::int64_t rows, std::int64_t columns)
{
    const std::int64_t beside = std::max<std::int64_t>(1, columns / (8 * kThreads));
    return static_cast<unsigned>(
        std::clamp<std::int64_t>(rows, 1, std::max<std::int64_t>(1, kBlocks / beside)));
}

/// handle(std::integral_constant<Activation, Kind>())
template <typename Handle>
cudaError_t withKind(Activation activation, const Handle& handle)
{
    switch (activation) {
    case Activation::Geglu:
    case Activation::Gelu:
        return handle(std::integral_constant<Activation, Activation::Gelu>());
    case Activation::GegluNew:
    case Activation::GeluNew:
        return handle(std::integral_constant<Activation, Activation::GeluNew>());
    case Activation::Relu:
        return handle(std::integral_constant<Activation, Activation::Relu>());
    case Activation::Silu:
    case Activation::Swiglu:
        return handle(std::integral_constant<Activation, Activation::Swiglu>());
    }
    return cudaErrorInvalidValue;
}

} // namespace

template <typename T>
cudaError_t launchActivation(Activation activation, const T* input, const T* bias, T* output,
                             std::int64_t rows, std::int64_t columns, cudaStream_t stream)
{
    if (rows == 0 || columns == 0)
        return cudaSuccess;
    const dim3 grid(columnBlocks(columns, Pack<T>::kCount), rowBlocks(rows, columns));
    return withKind(activation, [&](auto kind) {
        return TRAINYARD_LAUNCH((activate<kind(), T>), grid, kThreads, stream, input, bias, output, rows,
                                columns);
    });
}

std::int64_t activationScratch(std::int64_t columns)
{
    return rowBlocks(kBlocks, columns) * columns;
}

template <typename T>
cudaError_t launchActivationGradient(Activation activation, const T* gradient, const T* input, const T* bias,
                                     T* inputGradient, Wide<T>* biasGradient, std::int64_t rows,
                                     std::int64_t columns, Wide<T>* scratch, cudaStream_t stream)
{
    if (columns == 0)
        return cudaSuccess;
    const dim3 grid(columnBlocks(columns, Pack<T>::kCount), rowBlocks(rows, columns));
    Wide<T>* const slots = biasGradient ? scratch : nullptr;
    const cudaError_t launched = withKind(activation, [&](auto kind) {
        return TRAINYARD_LAUNCH((activateGradient<kind(), T>), grid, kThreads, stream, gradient, input, bias,
                                inputGradient, rows, columns, slots);
    });
    if (launched != cudaSuccess || !biasGradient)
        return launched;
    return launchAddColumnSlots(static_cast<const Wide<T>*>(scratch), grid.y, columns, biasGradient, stream);
}

#define TRAINYARD_INSTANTIATE(T)                                                                             \
    template cudaError_t launchActivation<T>(Activation, const T*, const T*, T*, std::int64_t, std::int64_t, \
                                             cudaStream_t);                                                  \
    template cudaError_t launchActivationGradient<T>(Activation, const T*, const T*, const T*, T*, Wide<T>*, \
                                                     std::int64_t, std::int64_t, Wide<T>*, cudaStream_t);
TRAINYARD_INSTANTIATE(float)
TRAINYARD_INSTANTIATE(double)
TRAINYARD_INSTANTIATE(BFloat16)
TRAINYARD_INSTANTIATE(Float16)

} // namespace trainyard
