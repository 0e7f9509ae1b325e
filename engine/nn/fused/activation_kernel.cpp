#include <ATen/Dispatch.h>
#include <ATen/ops/empty_like.h>

#include "engine/base/kernel.h"
#include "engine/nn/fused/number.h"
#include "engine/nn/fused/processor_compute.h"
#include "engine/nn/fused/rows.h"
#include "engine/nn/fused/vector_math.h"

namespace trainyard {

namespace {

template <typename W>
struct Point {
    W value;
    W slope;
};

// With s(v) = 1 / (1 + e^-v):
//     Gelu     f(x) = x Phi(x)                            f'(x) = Phi(x) + x phi(x)
//     GeluNew  f(x) = x s(2u), u = sqrt(2/pi) (x + 0.044715 x^3); f'(x) = s + x s (1 - s) 2u'
//     Relu     f(x) = max(x, 0)
//     Swiglu   f(x) = x s(x) (silu)                       f'(x) = s + x s (1 - s)
template <Activation Kind, typename W>
inline __attribute__((always_inline)) Point<W> pointOf(W x)
{
    if constexpr (Kind == Activation::Gelu) {
        const NormalDistribution<W> normal = normalDistribution(x);
        return {x * normal.below, normal.below + x * normal.density};
    } else if constexpr (Kind == Activation::GeluNew) {
        constexpr W kFactor = W(1.5957691216057308); // 2 sqrt(2 / pi)
        const W s = logistic(kFactor * (x + W(0.044715) * x * x * x));
        return {x * s, s + x * s * (W(1) - s) * kFactor * (W(1) + W(0.134145) * x * x)};
    } else if constexpr (Kind == Activation::Swiglu) {
        const W s = logistic(x);
        return {x * s, s + x * s * (W(1) - s)};
    } else {
        return {x > W(0) ? x : W(0), x > W(0) ? W(1) : W(0)};
    }
}

template <Activation Kind, typename T>
inline __attribute__((always_inline)) void forwardRow(T* __restrict out, const T* __restrict in,
                                                      const T* __restrict bias, std::int64_t width)
{
    if (bias) {
        for (std::int64_t i = 0; i < width; ++i)
            out[i] = narrow<T>(pointOf<Kind>(widen(in[i]) + widen(bias[i])).value);
    } else {
        for (std::int64_t i = 0; i < width; ++i)
            out[i] = narrow<T>(pointOf<Kind>(widen(in[i])).value);
    }
}

template <Activation Kind, typename T>
inline __attribute__((always_inline)) void backwardRow(T* __restrict out, Wide<T>* __restrict sums,
                                                       const T* __restrict gradient, const T* __restrict in,
                                                       const T* __restrict bias, std::int64_t width)
{
    if (bias) {
        for (std::int64_t i = 0; i < width; ++i) {
            const Wide<T> g = widen(gradient[i]) * pointOf<Kind>(widen(in[i]) + widen(bias[i])).slope;
            out[i] = narrow<T>(g);
            sums[i] += g;
        }
    } else {
        for (std::int64_t i = 0; i < width; ++i)
            out[i] = narrow<T>(widen(gradient[i]) * pointOf<Kind>(widen(in[i])).slope);
    }
}

// Calls of one row each: what is shared by rows stays in the cache.
#define KERNEL(T, KIND)                                                                                      \
    TRAINYARD_VECTOR_CLONES                                                                                  \
    void forward##KIND(T* out, const T* in, const T* bias, std::int64_t width)                               \
    {                                                                                                        \
        forwardRow<Activation::KIND>(out, in, bias, width);                                                  \
    }                                                                                                        \
    TRAINYARD_VECTOR_CLONES                                                                                  \
    void backward##KIND(T* out, Wide<T>* sums, const T* gradient, const T* in, const T* bias,                \
                        std::int64_t width)                                                                  \
    {                                                                                                        \
        backwardRow<Activation::KIND>(out, sums, gradient, in, bias, width);                                 \
    }
#define KERNELS(T) KERNEL(T, Gelu) KERNEL(T, GeluNew) KERNEL(T, Relu) KERNEL(T, Swiglu)
TRAINYARD_FOR_EACH_NUMBER(KERNELS)
#undef KERNELS
#undef KERNEL

template <typename T>
void forward(Activation kind, T* out, const T* in, const T* bias, std::int64_t width)
{
    switch (kind) {
    case Activation::Geglu:
    case Activation::Gelu:
        return forwardGelu(out, in, bias, width);
    case Activation::GegluNew:
    case Activation::GeluNew:
        return forwardGeluNew(out, in, bias, width);
    case Activation::Relu:
        return forwardRelu(out, in, bias, width);
    case Activation::Silu:
    case Activation::Swiglu:
        return forwardSwiglu(out, in, bias, width);
    }
}

template <typename T>
void backward(Activation kind, T* out, Wide<T>* sums, const T* gradient, const T* in, const T* bias,
              std::int64_t width)
{
    switch (kind) {
    case Activation::Geglu:
    case Activation::Gelu:
        return backwardGelu(out, sums, gradient, in, bias, width);
    case Activation::GegluNew:
    case Activation::GeluNew:
        return backwardGeluNew(out, sums, gradient, in, bias, width);
    case Activation::Relu:
        return backwardRelu(out, sums, gradient, in, bias, width);
    case Activation::Silu:
    case Activation::Swiglu:
        return backwardSwiglu(out, sums, gradient, in, bias, width);
    }
}

template <typename T>
const T* dataOf(const at::Tensor& tensor)
{
    return tensor.defined() ? tensor.const_data_ptr<T>() : nullptr;
}

} // namespace

at::Tensor ProcessorCompute::activationForward(const at::Tensor& input, const at::Tensor& bias,
                                               Activation activation) const
{
    const at::Tensor output = at::empty_like(input);
    const std::int64_t width = input.size(-1);
    AT_DISPATCH_FLOATING_TYPES_AND2(at::kBFloat16, at::kHalf, input.scalar_type(), "activation", [&] {
        forEachRowBlock(input.numel() / width, [&](std::int64_t, std::int64_t begin, std::int64_t end) {
            for (std::int64_t at = begin * width; at < end * width; at += width)
                forward(activation, output.mutable_data_ptr<scalar_t>() + at,
                        input.const_data_ptr<scalar_t>() + at, dataOf<scalar_t>(bias), width);
        });
    });
    return output;
}

ActivationGradients ProcessorCompute::activationBackward(const at::Tensor& gradient, const at::Tensor& input,
                                                         const at::Tensor& bias, Activation activation) const
{
    ActivationGradients result{at::empty_like(input), {}};
    const std::int64_t width = input.size(-1);
    const std::int64_t rows = input.numel() / width;
    AT_DISPATCH_FLOATING_TYPES_AND2(at::kBFloat16, at::kHalf, input.scalar_type(), "activation", [&] {
        using W = Wide<scalar_t>;
        const at::Tensor sums = blockSums(rows, 1, width, c10::CppTypeToScalarType<W>::value);
        forEachRowBlock(rows, [&](std::int64_t block, std::int64_t begin, std::int64_t end) {
            for (std::int64_t at = begin * width; at < end * width; at += width)
                backward(activation, result.input.mutable_data_ptr<scalar_t>() + at,
                         sums.mutable_data_ptr<W>() + block * width, gradient.const_data_ptr<scalar_t>() + at,
                         input.const_data_ptr<scalar_t>() + at, dataOf<scalar_t>(bias), width);
        });
        if (bias.defined())
            result.bias = sums.sum(0).squeeze(0);
    });
    return result;
}

} // namespace trainyard
