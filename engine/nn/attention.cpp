#include "engine/nn/attention.h"

#include <cmath>
#include <limits>

#include <ATen/Dispatch.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/softmax.h>
#include <ATen/ops/zeros.h>

namespace trainyard {

namespace {

double lowestOf(at::ScalarType type)
{
    return AT_DISPATCH_FLOATING_TYPES_AND2(at::kBFloat16, at::kHalf, type, "lowestOf", [] {
        return static_cast<double>(std::numeric_limits<scalar_t>::lowest());
    });
}

// [B, 1, 1, S], true at padding keys; undefined without padding.
at::Tensor paddingKeys(const at::Tensor& mask_BS)
{
    if (!mask_BS.defined())
        return {};
    const at::Tensor padding = mask_BS == 0;
    if (!padding.any().item<bool>())
        return {};
    return padding.view({mask_BS.size(0), 1, 1, mask_BS.size(1)});
}

// [1, 1, S, S], true where the key lies behind the query.
at::Tensor laterKeys(std::int64_t length, const at::TensorOptions& place)
{
    return at::ones({length, length}, place.dtype(at::kBool)).triu_(1).view({1, 1, length, length});
}

} // namespace

at::Tensor attentionBias(const TokenBatch& batch, bool causal, at::ScalarType type)
{
    at::Tensor unseen = paddingKeys(batch.attentionMask);
    if (causal) {
        const at::Tensor later = laterKeys(batch.sequenceLength(), batch.inputIds.options());
        unseen = unseen.defined() ? unseen.logical_or(later) : later;
    }
    if (!unseen.defined())
        return {};
    return at::zeros(unseen.sizes(), unseen.options().dtype(type)).masked_fill_(unseen, lowestOf(type));
}

// Matrix products and a plain softmax: on the CPU and at these lengths several times faster than ATen's
// scaled_dot_product_attention.
at::Tensor attention(const at::Tensor& queryKeyValue_T3H, const ForwardPass& pass, std::uint32_t site)
{
    const std::int64_t heads = pass.headsHere();
    const std::int64_t width = pass.model.hidden / pass.model.heads;
    const auto parts =
        queryKeyValue_T3H.view({pass.batch.sequences(), pass.batch.sequenceLength(), 3, heads, width})
            .permute({2, 0, 3, 1, 4})
            .unbind(0); // each [B, A, S, D]
    const auto turned = [&](const at::Tensor& x) { return pass.rotary ? pass.rotary->turn(x) : x; };
    const at::Tensor query_BASD = turned(parts[0]) * (1.0 / std::sqrt(static_cast<double>(width)));
    at::Tensor scores_BASS = at::matmul(query_BASD, turned(parts[1]).transpose(-1, -2));
    if (pass.attentionBias.defined())
        scores_BASS.add_(pass.attentionBias);
    const at::Tensor probabilities_BASS =
        pass.dropHeads(at::softmax(scores_BASS, -1), pass.model.attentionDropout, site);
    return at::matmul(probabilities_BASS, parts[2]).transpose(1, 2).reshape({-1, heads * width});
}

} // namespace trainyard
