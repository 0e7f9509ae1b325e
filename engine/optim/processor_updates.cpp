#include <ATen/Parallel.h>

#include "engine/base/check.h"
#include "engine/memory/tensor_storage.h"
#include "engine/nn/device.h"
#include "engine/optim/update_elements.h"

namespace trainyard {

namespace {

// Each loop is a function of pointers, not of structures of pointers: only of parameters does the compiler
// believe that they do not overlap. target_clones does not go with templates, so there is one for each type.

TRAINYARD_VECTOR_CLONES
void adamWLoop(float* __restrict w, float* __restrict m, float* __restrict v, const float* __restrict g,
               std::int64_t count, const AdamWCoefficients<float>& c)
{
    for (std::int64_t i = 0; i < count; ++i)
        w[i] = adamWElement(w[i], m[i], v[i], g[i], c);
}

TRAINYARD_VECTOR_CLONES
void adamWLoop(double* __restrict w, double* __restrict m, double* __restrict v, const double* __restrict g,
               std::int64_t count, const AdamWCoefficients<double>& c)
{
    for (std::int64_t i = 0; i < count; ++i)
        w[i] = adamWElement(w[i], m[i], v[i], g[i], c);
}

TRAINYARD_VECTOR_CLONES
void adamWLoop(float* __restrict w, std::uint16_t* __restrict working, float* __restrict m,
               float* __restrict v, const float* __restrict g, std::int64_t count,
               const AdamWCoefficients<float>& c)
{
    for (std::int64_t i = 0; i < count; ++i) {
        const float weight = adamWElement(w[i], m[i], v[i], g[i], c);
        w[i] = weight;
        working[i] = bfloat16Bits(weight);
    }
}

/// Sums of the squares of Columns numbers per element, in float64: element(i, add) calls add(column, number)
/// for each. Eight partial sums per column: a fixed order of addition, and room for vector registers.
template <std::size_t Columns, typename Element>
inline __attribute__((always_inline)) void sumSquares(std::int64_t count, double* sums,
                                                      const Element& element)
{
    constexpr std::int64_t kPartialSums = 8;
    double partial[Columns][kPartialSums] = {};
    std::int64_t i = 0;
    for (; i + kPartialSums <= count; i += kPartialSums) {
        for (std::int64_t lane = 0; lane < kPartialSums; ++lane)
            element(i + lane,
                    [&](std::size_t column, double value) { partial[column][lane] += value * value; });
    }
    for (; i < count; ++i)
        element(i, [&](std::size_t column, double value) { partial[column][0] += value * value; });
    for (std::size_t column = 0; column < Columns; ++column) {
        for (const double value : partial[column])
            sums[column] += value;
    }
}

template <LambDirections directions, typename T>
inline __attribute__((always_inline)) void
advanceLamb(const T* __restrict w, T* __restrict m, T* __restrict v, const T* __restrict g,
            std::int64_t count, const LambCoefficients<T>& c, double* sums)
{
    constexpr std::size_t kColumns = lambColumns(directions);
    sumSquares<kColumns>(
        count, sums, [&](std::int64_t i, const auto& add) __attribute__((always_inline)) {
            advanceMoments(m[i], v[i], g[i] * c.gradientScale, c);
            const LambDirection<T> d = lambDirection<directions>(m[i], v[i], g[i], w[i], c);
            add(0, static_cast<double>(w[i]));
            add(1, static_cast<double>(d.first));
            if constexpr (kColumns > 2)
                add(2, static_cast<double>(d.second));
        });
}

TRAINYARD_VECTOR_CLONES
void advanceLambLoop(LambDirections directions, const float* w, float* m, float* v, const float* g,
                     std::int64_t count, const LambCoefficients<float>& c, double* sums)
{
    if (directions == LambDirections::Update)
        advanceLamb<LambDirections::Update>(w, m, v, g, count, c, sums);
    else
        advanceLamb<LambDirections::MomentumAndGradient>(w, m, v, g, count, c, sums);
}

TRAINYARD_VECTOR_CLONES
void advanceLambLoop(LambDirections directions, const double* w, double* m, double* v, const double* g,
                     std::int64_t count, const LambCoefficients<double>& c, double* sums)
{
    if (directions == LambDirections::Update)
        advanceLamb<LambDirections::Update>(w, m, v, g, count, c, sums);
    else
        advanceLamb<LambDirections::MomentumAndGradient>(w, m, v, g, count, c, sums);
}

/// Calls also(i, new weight) for every element.
template <LambDirections directions, typename T, typename Also>
inline __attribute__((always_inline)) void
applyLamb(T* __restrict w, const T* __restrict m, const T* __restrict v, const T* __restrict g,
          std::int64_t count, const LambCoefficients<T>& c, const LambRates<T>& rates, const Also& also)
{
    for (std::int64_t i = 0; i < count; ++i) {
        const T weight = lambElement<directions>(m[i], v[i], g[i], w[i], c, rates);
        w[i] = weight;
        also(i, weight);
    }
}

template <typename T, typename Also>
inline __attribute__((always_inline)) void
applyLamb(LambDirections directions, T* __restrict w, const T* __restrict m, const T* __restrict v,
          const T* __restrict g, std::int64_t count, const LambCoefficients<T>& c, const LambRates<T>& rates,
          const Also& also)
{
    if (directions == LambDirections::Update)
        applyLamb<LambDirections::Update>(w, m, v, g, count, c, rates, also);
    else
        applyLamb<LambDirections::MomentumAndGradient>(w, m, v, g, count, c, rates, also);
}

constexpr auto kNoCopy = [](std::int64_t, auto) __attribute__((always_inline)){};

TRAINYARD_VECTOR_CLONES
void applyLambLoop(LambDirections directions, float* __restrict w, const float* __restrict m,
                   const float* __restrict v, const float* __restrict g, std::int64_t count,
                   const LambCoefficients<float>& c, const LambRates<float>& rates)
{
    applyLamb(directions, w, m, v, g, count, c, rates, kNoCopy);
}

TRAINYARD_VECTOR_CLONES
void applyLambLoop(LambDirections directions, double* __restrict w, const double* __restrict m,
                   const double* __restrict v, const double* __restrict g, std::int64_t count,
                   const LambCoefficients<double>& c, const LambRates<double>& rates)
{
    applyLamb(directions, w, m, v, g, count, c, rates, kNoCopy);
}

TRAINYARD_VECTOR_CLONES
void applyLambLoop(LambDirections directions, float* __restrict w, std::uint16_t* __restrict working,
                   const float* __restrict m, const float* __restrict v, const float* __restrict g,
                   std::int64_t count, const LambCoefficients<float>& c, const LambRates<float>& rates)
{
    applyLamb(
        directions, w, m, v, g, count, c,
        rates, [working](std::int64_t i, float weight) __attribute__((always_inline)) {
            working[i] = bfloat16Bits(weight);
        });
}

TRAINYARD_VECTOR_CLONES
void momentumLoop(float* __restrict w, float* __restrict b, const float* __restrict g, std::int64_t count,
                  const SgdCoefficients<float>& c)
{
    for (std::int64_t i = 0; i < count; ++i) {
        b[i] = c.momentum * b[i] + sgdDirection(g[i], w[i], c);
        w[i] -= c.rate * b[i];
    }
}

TRAINYARD_VECTOR_CLONES
void momentumLoop(double* __restrict w, double* __restrict b, const double* __restrict g, std::int64_t count,
                  const SgdCoefficients<double>& c)
{
    for (std::int64_t i = 0; i < count; ++i) {
        b[i] = c.momentum * b[i] + sgdDirection(g[i], w[i], c);
        w[i] -= c.rate * b[i];
    }
}

TRAINYARD_VECTOR_CLONES
void sgdLoop(float* __restrict w, const float* __restrict g, std::int64_t count,
             const SgdCoefficients<float>& c)
{
    for (std::int64_t i = 0; i < count; ++i)
        w[i] -= c.rate * sgdDirection(g[i], w[i], c);
}

TRAINYARD_VECTOR_CLONES
void sgdLoop(double* __restrict w, const double* __restrict g, std::int64_t count,
             const SgdCoefficients<double>& c)
{
    for (std::int64_t i = 0; i < count; ++i)
        w[i] -= c.rate * sgdDirection(g[i], w[i], c);
}

/// In float64 and a fixed order.
template <typename T>
inline __attribute__((always_inline)) double squaresOf(const T* values, std::int64_t count)
{
    constexpr std::int64_t kPartialSums = 16; // room for vector registers
    double sums[kPartialSums] = {};
    std::int64_t i = 0;
    for (; i + kPartialSums <= count; i += kPartialSums) {
        for (std::int64_t lane = 0; lane < kPartialSums; ++lane)
            sums[lane] += squareOf(values[i + lane]);
    }
    for (; i < count; ++i)
        sums[0] += squareOf(values[i]);
    double sum = 0;
    for (const double partial : sums)
        sum += partial;
    return sum;
}

TRAINYARD_VECTOR_CLONES
double squaresLoop(const float* values, std::int64_t count)
{
    return squaresOf(values, count);
}

TRAINYARD_VECTOR_CLONES
double squaresLoop(const double* values, std::int64_t count)
{
    return squaresOf(values, count);
}

/// Sums have one slot.
template <typename T>
class ProcessorPasses final : public UpdatePasses<T> {
public:
    void adamW(const MomentStreams<T>& s, std::uint16_t* working, std::int64_t count,
               const AdamWCoefficients<T>& c) const override
    {
        if constexpr (std::is_same_v<T, float>) {
            if (working)
                return adamWLoop(s.weight, working, s.average, s.squareAverage, s.gradient, count, c);
        }
        adamWLoop(s.weight, s.average, s.squareAverage, s.gradient, count, c);
    }

    void advanceLamb(LambDirections directions, const MomentStreams<T>& s, std::int64_t count,
                     const LambCoefficients<T>& c, double* sums) const override
    {
        advanceLambLoop(directions, s.weight, s.average, s.squareAverage, s.gradient, count, c, sums);
    }

    void applyLamb(LambDirections directions, const MomentStreams<T>& s, std::uint16_t* working,
                   std::int64_t count, const LambCoefficients<T>& c, const LambRates<T>& rates) const override
    {
        if constexpr (std::is_same_v<T, float>) {
            if (working)
                return applyLambLoop(directions, s.weight, working, s.average, s.squareAverage, s.gradient,
                                     count, c, rates);
        }
        applyLambLoop(directions, s.weight, s.average, s.squareAverage, s.gradient, count, c, rates);
    }

    void sgd(T* weight, T* momentum, const T* gradient, std::int64_t count,
             const SgdCoefficients<T>& c) const override
    {
        if (momentum)
            return momentumLoop(weight, momentum, gradient, count, c);
        sgdLoop(weight, gradient, count, c);
    }

    void squares(const T* values, std::int64_t count, double* sums) const override
    {
        *sums = squaresLoop(values, count);
    }
};

class ProcessorUpdates final : public UpdateKernels {
public:
    const UpdatePasses<float>& floats() const override { return m_floats; }
    const UpdatePasses<double>& doubles() const override { return m_doubles; }
    /// Four float32 streams of a range fit in half a MiB of L2 cache.
    std::int64_t rangeElements() const override { return 1 << 15; }
    std::size_t sumSlots() const override { return 1; }

    void forEach(std::size_t count, const std::function<void(std::size_t)>& pass,
                 const std::function<void(std::size_t)>& after) const override
    {
        constexpr std::int64_t kRangesPerThread = 8;
        at::parallel_for(0, static_cast<std::int64_t>(count), kRangesPerThread,
                         [&](std::int64_t begin, std::int64_t end) {
                             for (auto i = static_cast<std::size_t>(begin); i < std::size_t(end); ++i) {
                                 pass(i);
                                 after(i); // while it is in the cache
                             }
                         });
    }

private:
    ProcessorPasses<float> m_floats;
    ProcessorPasses<double> m_doubles;
};

} // namespace

const UpdateKernels& processorUpdates()
{
    static const ProcessorUpdates updates;
    return updates;
}

const UpdateKernels& updatesOf(const Device& device)
{
    TRAINYARD_CHECK(device.updates || isHostMemory(device.place));
    return device.updates ? *device.updates : processorUpdates();
}

} // namespace trainyard
