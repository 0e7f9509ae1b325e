#include "engine/nn/attention.h"

#include <cmath>
#include <limits>

#include <ATen/Dispatch.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/scaled_dot_product_attention.h>
#include <ATen/ops/softmax.h>
#include <ATen/ops/zeros.h>
#include <torch/csrc/autograd/custom_function.h>

#include "engine/model/model_family.h"
#include "engine/nn/attention_probabilities.h"
#include "engine/nn/families/head_layout.h"
#include "engine/nn/key_value_cache.h"
#include "engine/nn/token_attention.h"

namespace trainyard {

namespace {

double lowestOf(at::ScalarType type)
{
    return AT_DISPATCH_FLOATING_TYPES_AND2(at::kBFloat16, at::kHalf, type, "lowestOf", [] {
        return static_cast<double>(std::numeric_limits<scalar_t>::lowest());
    });
}

// [1, 1, queries, keys], true where the key lies behind the query. The queries are those of the last keys.
at::Tensor laterKeys(std::int64_t queries, std::int64_t keys, const at::TensorOptions& place)
{
    return at::ones({queries, keys}, place.dtype(at::kBool))
        .triu_(keys - queries + 1)
        .view({1, 1, queries, keys});
}

SharedAttention sharedAttention(const ForwardPass& pass, std::uint32_t site)
{
    return {pass.slice.length,
            familyOf(pass.model).isCausal(),
            pass.padding,
            pass.model.attentionDropout,
            pass.dropoutKey,
            &pass.compute(),
            site,
            pass.batch.sampleIndices,
            std::int64_t{pass.parallel.rank()} * pass.headsHere()};
}

// Of a causal bias [1, 1, S, S] the part of a shorter sequence.
at::Tensor ofFirst(std::int64_t tokens, const at::Tensor& bias)
{
    return bias.defined() ? bias.narrow(-1, 0, tokens).narrow(-2, 0, tokens) : bias;
}

/// z = q k^T:   dq = dz k,   dk = dz^T q. Of autograd's own product dk would lie transposed, and what takes
/// it would copy it.
struct Scores : torch::autograd::Function<Scores> {
    static at::Tensor forward(torch::autograd::AutogradContext* context, const at::Tensor& query_BAQD,
                              const at::Tensor& key_BAKD)
    {
        context->save_for_backward({query_BAQD, key_BAKD});
        return at::matmul(query_BAQD, key_BAKD.transpose(-1, -2));
    }

    static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                   const torch::autograd::variable_list& gradients)
    {
        const auto saved = context->get_saved_variables();
        return {at::matmul(gradients[0], saved[1]), at::matmul(gradients[0].transpose(-1, -2), saved[0])};
    }
};

double scaleOf(std::int64_t headWidth)
{
    return 1.0 / std::sqrt(static_cast<double>(headWidth));
}

// One kernel that keeps no scores (Dao et al., arXiv:2205.14135). Drops nothing.
at::Tensor fusedAttention(const at::Tensor& query_BALD, const at::Tensor& key_BALD,
                          const at::Tensor& value_BALD, const at::Tensor& bias, const ForwardPass& pass)
{
    const bool causal = isPlainlyCausal(pass.batch, familyOf(pass.model).isCausal());
    const auto added = !causal && bias.defined() ? std::optional(bias) : std::nullopt;
    return at::scaled_dot_product_attention(query_BALD, key_BALD, value_BALD, added, 0.0, causal,
                                            scaleOf(query_BALD.size(-1)));
}

// Of those of batch.places(), which have one length.
at::Tensor attentionOf(IndexRange sequences, std::int64_t length, const at::Tensor& queryKeyValue_T3H,
                       const at::Tensor& bias, const ForwardPass& pass, std::uint32_t site)
{
    const std::int64_t heads = pass.headsHere();
    const std::int64_t width = pass.model.hidden / pass.model.heads;
    const HeadShape shape{sequences.size(), heads, length, width};
    const bool causal = isPlainlyCausal(pass.batch, familyOf(pass.model).isCausal());
    if (pass.dropsHeads() && !pass.context && !pass.rotary) {
        const ScoreInput scores{bias, causal, pass.headDropout(sequences, site)};
        if (pass.compute().attends(queryKeyValue_T3H, shape, scores))
            return attendTokens(queryKeyValue_T3H, shape, scaleOf(width), scores, pass.compute());
    }
    const bool fuses = pass.compute().fusesAttention() && !pass.dropsHeads() && !pass.context;
    const auto [query_BALD, key_BALD, value_BALD] =
        splitHeads(queryKeyValue_T3H, shape, fuses ? 1.0 : scaleOf(width), pass.compute());
    const auto turned = [&](const at::Tensor& x) { return pass.rotary ? pass.rotary->turn(x) : x; };
    if (pass.context)
        return pass.context->attend(turned(query_BALD), turned(key_BALD), value_BALD,
                                    sharedAttention(pass, site));
    if (fuses)
        return fusedAttention(turned(query_BALD), turned(key_BALD), value_BALD, bias, pass)
            .transpose(1, 2)
            .reshape({-1, heads * width}); // a view of what the kernel wrote, token by token
    const at::Tensor scores_BALL = Scores::apply(turned(query_BALD), turned(key_BALD));
    const at::Tensor probabilities_BALL = attentionProbabilities(
        scores_BALL, {bias, causal, pass.headDropout(sequences, site)}, pass.compute());
    return mergeHeads(at::matmul(probabilities_BALL, value_BALD), pass.compute());
}

// One sequence after the other, each with the scores that it has: a bias that keeps the sequences of a row
// apart would make twice as many and more.
at::Tensor packedAttention(const at::Tensor& queryKeyValue_T3H, const ForwardPass& pass, std::uint32_t site)
{
    std::vector<at::Tensor> contexts;
    const std::vector<SequencePlace> places = pass.batch.places();
    std::vector<std::int64_t> lengths;
    for (const SequencePlace& place : places)
        lengths.push_back(place.length);
    const auto pieces = queryKeyValue_T3H.split_with_sizes(lengths);
    for (std::size_t i = 0; i < places.size(); ++i) {
        const at::Tensor bias = ofFirst(lengths[i], pass.attentionBias);
        const auto number = static_cast<std::int64_t>(i);
        contexts.push_back(attentionOf({number, number + 1}, lengths[i], pieces[i], bias, pass, site));
    }
    return at::cat(contexts);
}

at::Tensor cachedAttentionOf(const SequencePlace& sequence, const at::Tensor& queryKeyValue_L3H,
                             const ForwardPass& pass, int layer)
{
    const std::int64_t width = pass.model.hidden / pass.model.heads;
    const auto [query_1ALD, key_1ALD, value_1ALD] = splitHeads(
        queryKeyValue_L3H, {1, pass.model.heads, sequence.length, width}, scaleOf(width), pass.compute());
    const auto turned = [&](const at::Tensor& x) {
        return pass.rotary ? pass.rotary->turn(x, sequence.begin) : x;
    };
    const KeysAndValues seen = pass.cache->append(layer, sequence.sample, {turned(key_1ALD), value_1ALD});
    at::Tensor scores_1ALN = at::matmul(turned(query_1ALD), seen.keys.transpose(-1, -2));
    if (sequence.length > 1) // a single query is the last token: it sees every key
        scores_1ALN.masked_fill_(laterKeys(sequence.length, seen.keys.size(2), pass.batch.inputIds.options()),
                                 lowestOf(scores_1ALN.scalar_type()));
    return mergeHeads(at::matmul(at::softmax(scores_1ALN, -1), seen.values), pass.compute());
}

} // namespace

at::Tensor paddingKeys(const at::Tensor& mask_BS)
{
    return mask_BS.defined() ? mask_BS == 0 : at::Tensor();
}

at::Tensor attentionBias(const TokenBatch& batch, const at::Tensor& padding_BS, bool causal,
                         at::ScalarType type)
{
    at::Tensor unseen = padding_BS.defined() ? padding_BS.unsqueeze(1).unsqueeze(1) : at::Tensor();
    if (causal) {
        const std::int64_t length = batch.sequenceLength();
        const at::Tensor later = laterKeys(length, length, batch.inputIds.options());
        unseen = unseen.defined() ? unseen.logical_or(later) : later;
    }
    if (!unseen.defined())
        return {};
    return at::zeros(unseen.sizes(), unseen.options().dtype(type)).masked_fill_(unseen, lowestOf(type));
}

bool isPlainlyCausal(const TokenBatch& batch, bool causal)
{
    return causal && !batch.attentionMask.defined();
}

at::Tensor attention(const at::Tensor& queryKeyValue_T3H, const ForwardPass& pass, std::uint32_t site)
{
    if (pass.batch.isPacked())
        return packedAttention(queryKeyValue_T3H, pass, site);
    const auto sequences = static_cast<std::int64_t>(pass.batch.places().size());
    const std::int64_t length = pass.batch.places().front().length;
    return attentionOf({0, sequences}, length, queryKeyValue_T3H, pass.attentionBias, pass, site);
}

at::Tensor cachedAttention(const at::Tensor& queryKeyValue_T3H, const ForwardPass& pass, int layer)
{
    std::vector<at::Tensor> contexts;
    for (const SequencePlace& sequence : pass.batch.places())
        contexts.push_back(cachedAttentionOf(
            sequence, queryKeyValue_T3H.narrow(0, sequence.begin, sequence.length), pass, layer));
    return at::cat(contexts);
}

} // namespace trainyard
