#include <ATen/Dispatch.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>

#include "engine/base/kernel.h"
#include "engine/nn/fused/number.h"
#include "engine/nn/fused/processor_compute.h"
#include "engine/nn/fused/rows.h"

namespace trainyard {

namespace {

template <typename T>
inline __attribute__((always_inline)) void addRow(T* __restrict sum, const T* __restrict input,
                                                  const T* __restrict bias, const T* __restrict residual,
                                                  std::int64_t width)
{
    if (bias && residual) {
        for (std::int64_t i = 0; i < width; ++i)
            sum[i] = narrow<T>(widen(input[i]) + widen(bias[i]) + widen(residual[i]));
    } else {
        const T* added = bias ? bias : residual;
        for (std::int64_t i = 0; i < width; ++i)
            sum[i] = narrow<T>(widen(input[i]) + widen(added[i]));
    }
}

template <typename T>
inline __attribute__((always_inline)) void
normaliseRow(T* __restrict out, Wide<T>& meanOfRow, Wide<T>& scaleOfRow, const T* __restrict sum,
             const T* __restrict weight, const T* __restrict shift, std::int64_t width, Wide<T> epsilon)
{
    using W = Wide<T>;
    const W mean = sumOf<W>(width, [&](std::int64_t i) { return widen(sum[i]); }) / static_cast<W>(width);
    // A second pass over the row, which is in the cache: E[x^2] - E[x]^2 would cancel in float32.
    const W squares = sumOf<W>(width, [&](std::int64_t i) {
        const W difference = widen(sum[i]) - mean;
        return difference * difference;
    });
    const W scale = W(1) / std::sqrt(squares / static_cast<W>(width) + epsilon);
    for (std::int64_t i = 0; i < width; ++i)
        out[i] = narrow<T>((widen(sum[i]) - mean) * scale * widen(weight[i]) + widen(shift[i]));
    meanOfRow = mean;
    scaleOfRow = scale;
}

/// Sums over rows that are being formed, each of the width of a row.
template <typename W>
struct NormSums {
    W* weight;
    W* shift;
    W* bias;
};

template <typename T>
inline __attribute__((always_inline)) void
gradientRow(T* __restrict out, Wide<T>* __restrict weightSums, Wide<T>* __restrict shiftSums,
            Wide<T>* __restrict biasSums, const T* __restrict gradient, const T* __restrict sum,
            const T* __restrict weight, Wide<T> mean, Wide<T> scale, std::int64_t width)
{
    using W = Wide<T>;
    const auto p = [&](std::int64_t i) { return widen(gradient[i]) * widen(weight[i]); };
    const auto h = [&](std::int64_t i) { return (widen(sum[i]) - mean) * scale; };
    const W meanP = sumOf<W>(width, p) / static_cast<W>(width);
    const W meanPH = sumOf<W>(width, [&](std::int64_t i) { return p(i) * h(i); }) / static_cast<W>(width);
    for (std::int64_t i = 0; i < width; ++i) {
        const W dy = widen(gradient[i]);
        const W hi = (widen(sum[i]) - mean) * scale;
        const W ds = scale * (dy * widen(weight[i]) - meanP - hi * meanPH);
        out[i] = narrow<T>(ds);
        weightSums[i] += dy * hi;
        shiftSums[i] += dy;
        biasSums[i] += ds;
    }
}

#define KERNEL(T)                                                                                            \
    TRAINYARD_VECTOR_CLONES                                                                                  \
    void add(T* sum, const T* input, const T* bias, const T* residual, std::int64_t width)                   \
    {                                                                                                        \
        addRow(sum, input, bias, residual, width);                                                           \
    }                                                                                                        \
    TRAINYARD_VECTOR_CLONES                                                                                  \
    void normalise(T* out, Wide<T>& mean, Wide<T>& scale, const T* sum, const T* weight, const T* shift,     \
                   std::int64_t width, Wide<T> epsilon)                                                      \
    {                                                                                                        \
        normaliseRow(out, mean, scale, sum, weight, shift, width, epsilon);                                  \
    }                                                                                                        \
    TRAINYARD_VECTOR_CLONES                                                                                  \
    void goBack(T* out, const NormSums<Wide<T>>& sums, const T* gradient, const T* sum, const T* weight,     \
                Wide<T> mean, Wide<T> scale, std::int64_t width)                                             \
    {                                                                                                        \
        gradientRow(out, sums.weight, sums.shift, sums.bias, gradient, sum, weight, mean, scale, width);     \
    }
TRAINYARD_FOR_EACH_NUMBER(KERNEL)
#undef KERNEL

template <typename T>
const T* rowOf(const at::Tensor& tensor, std::int64_t first)
{
    return tensor.defined() ? tensor.const_data_ptr<T>() + first : nullptr;
}

} // namespace

NormForward ProcessorCompute::normForward(const NormInput& input, const at::Tensor& weight,
                                          const at::Tensor& shift, double epsilon) const
{
    const bool adds = input.bias.defined() || input.residual.defined();
    const std::int64_t width = input.input.size(-1);
    const std::int64_t rows = input.input.numel() / width;
    NormForward result{at::empty_like(input.input), adds ? at::empty_like(input.input) : input.input, {}, {}};
    AT_DISPATCH_FLOATING_TYPES_AND2(at::kBFloat16, at::kHalf, weight.scalar_type(), "norm", [&] {
        using W = Wide<scalar_t>;
        const auto wide = at::TensorOptions().dtype(c10::CppTypeToScalarType<W>::value);
        result.mean_T = at::empty({rows}, wide);
        result.scale_T = at::empty({rows}, wide);
        forEachRowBlock(rows, [&](std::int64_t, std::int64_t begin, std::int64_t end) {
            for (std::int64_t row = begin; row < end; ++row) {
                const std::int64_t first = row * width;
                if (adds)
                    add(result.sum.mutable_data_ptr<scalar_t>() + first, rowOf<scalar_t>(input.input, first),
                        rowOf<scalar_t>(input.bias, 0), rowOf<scalar_t>(input.residual, first), width);
                normalise(result.output.mutable_data_ptr<scalar_t>() + first,
                          result.mean_T.mutable_data_ptr<W>()[row], result.scale_T.mutable_data_ptr<W>()[row],
                          rowOf<scalar_t>(result.sum, first), rowOf<scalar_t>(weight, 0),
                          rowOf<scalar_t>(shift, 0), width, static_cast<W>(epsilon));
            }
        });
    });
    return result;
}

NormGradients ProcessorCompute::normBackward(const NormBackwardInput& input) const
{
    const std::int64_t width = input.sum.size(-1);
    const std::int64_t rows = input.sum.numel() / width;
    NormGradients result;
    result.sum = at::empty_like(input.sum);
    // Sums per block of rows, whose number does not depend on the threads: added up in order they are the
    // same on any number of them.
    const at::Tensor sums = blockSums(rows, 3, width, input.mean_T.scalar_type());
    AT_DISPATCH_FLOATING_TYPES_AND2(at::kBFloat16, at::kHalf, input.weight.scalar_type(), "norm", [&] {
        using W = Wide<scalar_t>;
        forEachRowBlock(rows, [&](std::int64_t block, std::int64_t begin, std::int64_t end) {
            W* first = sums.mutable_data_ptr<W>() + 3 * block * width;
            const NormSums<W> ofBlock{first, first + width, first + 2 * width};
            for (std::int64_t row = begin; row < end; ++row)
                goBack(result.sum.mutable_data_ptr<scalar_t>() + row * width, ofBlock,
                       rowOf<scalar_t>(input.gradient, row * width), rowOf<scalar_t>(input.sum, row * width),
                       rowOf<scalar_t>(input.weight, 0), input.mean_T.const_data_ptr<W>()[row],
                       input.scale_T.const_data_ptr<W>()[row], width);
        });
    });
    const auto columns = sums.sum(0).unbind(0);
    result.weight = columns[0];
    result.shift = columns[1];
    result.bias = columns[2];
    return result;
}

} // namespace trainyard
