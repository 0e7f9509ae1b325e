#include <cmath>

#include <ATen/Dispatch.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/scalar_tensor.h>
#include <c10/util/Exception.h>

#include "engine/base/kernel.h"
#include "engine/nn/fused/number.h"
#include "engine/nn/fused/processor_compute.h"
#include "engine/nn/fused/rows.h"
#include "engine/nn/fused/vector_math.h"

namespace trainyard {

namespace {

template <typename T>
inline __attribute__((always_inline)) Wide<T> largestOf(const T* row, std::int64_t count)
{
    using W = Wide<T>;
    constexpr std::int64_t kLanes = 16;
    W largest[kLanes];
    for (W& lane : largest)
        lane = widen(row[0]);
    std::int64_t i = 0;
    for (; i + kLanes <= count; i += kLanes) {
        for (std::int64_t lane = 0; lane < kLanes; ++lane) {
            const W value = widen(row[i + lane]);
            largest[lane] = value > largest[lane] ? value : largest[lane];
        }
    }
    for (; i < count; ++i)
        largest[0] = widen(row[i]) > largest[0] ? widen(row[i]) : largest[0];
    W result = largest[0];
    for (const W lane : largest)
        result = lane > result ? lane : result;
    return result;
}

template <typename T>
inline __attribute__((always_inline)) Wide<T> logSumOf(const T* row, std::int64_t count)
{
    const Wide<T> largest = largestOf(row, count);
    return largest + std::log(sumOf<Wide<T>>(
                         count, [&](std::int64_t i) { return exponential(widen(row[i]) - largest); }));
}

template <typename T>
inline __attribute__((always_inline)) void gradientRow(T* __restrict out, const T* __restrict row,
                                                       std::int64_t count, Wide<T> logSum, Wide<T> scale)
{
    for (std::int64_t i = 0; i < count; ++i)
        out[i] = narrow<T>(scale * exponential(widen(row[i]) - logSum));
}

#define KERNEL(T)                                                                                            \
    TRAINYARD_VECTOR_CLONES                                                                                  \
    Wide<T> logSum(const T* row, std::int64_t count)                                                         \
    {                                                                                                        \
        return logSumOf(row, count);                                                                         \
    }                                                                                                        \
    TRAINYARD_VECTOR_CLONES                                                                                  \
    void scaledSoftmax(T* out, const T* row, std::int64_t count, Wide<T> logSum, Wide<T> scale)              \
    {                                                                                                        \
        gradientRow(out, row, count, logSum, scale);                                                         \
    }
TRAINYARD_FOR_EACH_NUMBER(KERNEL)
#undef KERNEL

} // namespace

RowLosses ProcessorCompute::rowLosses(const at::Tensor& logits_MC, const at::Tensor& targets_M) const
{
    const std::int64_t rows = logits_MC.size(0);
    const std::int64_t width = logits_MC.size(1);
    const auto* targets = targets_M.const_data_ptr<std::int64_t>();
    RowLosses result;
    AT_DISPATCH_FLOATING_TYPES_AND2(at::kBFloat16, at::kHalf, logits_MC.scalar_type(), "rowLosses", [&] {
        using W = Wide<scalar_t>;
        const at::ScalarType wide = c10::CppTypeToScalarType<W>::value;
        const auto* logits = logits_MC.const_data_ptr<scalar_t>();
        result.logSums_M = at::empty({rows}, at::TensorOptions().dtype(wide));
        W* logSums = result.logSums_M.mutable_data_ptr<W>();
        at::parallel_for(0, rows, 1, [&](std::int64_t begin, std::int64_t end) {
            for (std::int64_t row = begin; row < end; ++row)
                logSums[row] = logSum(logits + row * width, width);
        });
        // On one thread, in float64 and in order: the loss does not depend on the number of threads.
        double sum = 0;
        for (std::int64_t row = 0; row < rows; ++row) {
            TORCH_CHECK_INDEX(targets[row] >= 0 && targets[row] < width, "target ", targets[row],
                              " is not below ", width);
            sum += static_cast<double>(logSums[row]) -
                   static_cast<double>(widen(logits[row * width + targets[row]]));
        }
        result.sum = at::scalar_tensor(sum, at::TensorOptions().dtype(wide));
    });
    return result;
}

at::Tensor ProcessorCompute::rowLossGradient(const at::Tensor& logits_MC, const at::Tensor& targets_M,
                                             const at::Tensor& logSums_M, const at::Tensor& scale) const
{
    const std::int64_t width = logits_MC.size(1);
    const auto* targets = targets_M.const_data_ptr<std::int64_t>();
    at::Tensor gradient = at::empty_like(logits_MC);
    AT_DISPATCH_FLOATING_TYPES_AND2(at::kBFloat16, at::kHalf, logits_MC.scalar_type(), "rowLosses", [&] {
        using W = Wide<scalar_t>;
        const W factor = static_cast<W>(scale.item<double>());
        const auto* logits = logits_MC.const_data_ptr<scalar_t>();
        const auto* logSums = logSums_M.const_data_ptr<W>();
        auto* out = gradient.mutable_data_ptr<scalar_t>();
        at::parallel_for(0, logits_MC.size(0), 1, [&](std::int64_t begin, std::int64_t end) {
            for (std::int64_t row = begin; row < end; ++row) {
                const std::int64_t target = row * width + targets[row];
                scaledSoftmax(out + row * width, logits + row * width, width, logSums[row], factor);
                // Computed again from the logit: the rounded number in `out` has lost what is left of p - 1
                // near p = 1.
                const W probability = exponential(widen(logits[target]) - logSums[row]);
                out[target] = narrow<scalar_t>(factor * (probability - W(1)));
            }
        });
    });
    return gradient;
}

} // namespace trainyard
