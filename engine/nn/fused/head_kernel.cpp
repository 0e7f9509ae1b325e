#include <algorithm>

#include <ATen/Dispatch.h>
#include <ATen/Parallel.h>
#include <ATen/ops/empty.h>

#include "engine/base/kernel.h"
#include "engine/nn/fused/number.h"
#include "engine/nn/fused/processor_compute.h"

namespace trainyard {

namespace {

constexpr std::int64_t kTokensPerThread = 32;

#define KERNEL(T)                                                                                            \
    TRAINYARD_VECTOR_CLONES                                                                                  \
    void scaledCopy(T* __restrict to, const T* __restrict from, std::int64_t count, Wide<T> scale)           \
    {                                                                                                        \
        for (std::int64_t i = 0; i < count; ++i)                                                             \
            to[i] = narrow<T>(widen(from[i]) * scale);                                                       \
    }
TRAINYARD_FOR_EACH_NUMBER(KERNEL)
#undef KERNEL

template <typename T>
void copy(T* to, const T* from, std::int64_t count, double scale)
{
    if (scale == 1.0)
        std::copy_n(from, count, to);
    else
        scaledCopy(to, from, count, static_cast<Wide<T>>(scale));
}

/// Calls move(number by token, number by head) with the places of each run of D numbers that belong together:
/// in rows of `rowWidth` from column `firstColumn` on, and in [B, A, S, D].
template <typename Move>
void forEachRun(const HeadShape& shape, std::int64_t rowWidth, std::int64_t firstColumn, const Move& move)
{
    at::parallel_for(0, shape.sequences * shape.length, kTokensPerThread,
                     [&](std::int64_t begin, std::int64_t end) {
                         for (std::int64_t token = begin; token < end; ++token) {
                             const std::int64_t sequence = token / shape.length;
                             const std::int64_t place = token % shape.length;
                             for (std::int64_t head = 0; head < shape.heads; ++head)
                                 move(token * rowWidth + firstColumn + head * shape.width,
                                      ((sequence * shape.heads + head) * shape.length + place) * shape.width);
                         }
                     });
}

/// By token -> by head.
at::Tensor toHeads(const at::Tensor& tokens, const HeadShape& shape, std::int64_t firstColumn, double scale)
{
    const at::Tensor heads =
        at::empty({shape.sequences, shape.heads, shape.length, shape.width}, tokens.options());
    AT_DISPATCH_FLOATING_TYPES_AND2(at::kBFloat16, at::kHalf, tokens.scalar_type(), "toHeads", [&] {
        const auto* from = tokens.const_data_ptr<scalar_t>();
        auto* to = heads.mutable_data_ptr<scalar_t>();
        forEachRun(shape, tokens.size(1), firstColumn, [&](std::int64_t byToken, std::int64_t byHead) {
            copy(to + byHead, from + byToken, shape.width, scale);
        });
    });
    return heads;
}

/// By head -> by token, into columns of `tokens`.
void toTokens(const at::Tensor& tokens, const at::Tensor& heads, const HeadShape& shape,
              std::int64_t firstColumn, double scale)
{
    AT_DISPATCH_FLOATING_TYPES_AND2(at::kBFloat16, at::kHalf, tokens.scalar_type(), "toTokens", [&] {
        const auto* from = heads.const_data_ptr<scalar_t>();
        auto* to = tokens.mutable_data_ptr<scalar_t>();
        forEachRun(shape, tokens.size(1), firstColumn, [&](std::int64_t byToken, std::int64_t byHead) {
            copy(to + byToken, from + byHead, shape.width, scale);
        });
    });
}

} // namespace

HeadTensors ProcessorCompute::splitHeads(const at::Tensor& queryKeyValue, const HeadShape& shape,
                                         double scale) const
{
    const std::int64_t columns = shape.heads * shape.width;
    return {toHeads(queryKeyValue, shape, 0, scale), toHeads(queryKeyValue, shape, columns, 1.0),
            toHeads(queryKeyValue, shape, 2 * columns, 1.0)};
}

at::Tensor ProcessorCompute::joinHeads(const HeadTensors& gradients, double scale) const
{
    const HeadShape shape = HeadShape::of(gradients[0]);
    const std::int64_t columns = shape.heads * shape.width;
    const at::Tensor tokens = at::empty({shape.tokens(), 3 * columns}, gradients[0].options());
    for (std::size_t part = 0; part < 3; ++part)
        toTokens(tokens, gradients[part].contiguous(), shape, static_cast<std::int64_t>(part) * columns,
                 part == 0 ? scale : 1.0);
    return tokens;
}

at::Tensor ProcessorCompute::mergeHeads(const at::Tensor& context_BASD) const
{
    const HeadShape shape = HeadShape::of(context_BASD);
    const at::Tensor tokens = at::empty({shape.tokens(), shape.heads * shape.width}, context_BASD.options());
    toTokens(tokens, context_BASD.contiguous(), shape, 0, 1.0);
    return tokens;
}

at::Tensor ProcessorCompute::unmergeHeads(const at::Tensor& context_TH, const HeadShape& shape) const
{
    return toHeads(context_TH, shape, 0, 1.0);
}

} // namespace trainyard
