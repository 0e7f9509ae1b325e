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
#include "engine/nn/families/model_head.h"
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

// [1, 1, queries, keys], true where the key is out of reach; undefined where none is. The queries are those
// of the last keys.
at::Tensor unreachedKeys(std::int64_t queries, std::int64_t keys, const AttentionReach& reach,
                         const at::TensorOptions& place)
{
    const auto all = [&] { return at::ones({queries, keys}, place.dtype(at::kBool)); };
    const std::int64_t diagonal = keys - queries;
    const std::int64_t sides = reach.causal ? reach.window : reach.window + 1;
    at::Tensor unreached;
    if (reach.causal || reach.window > 0)
        unreached = all().triu_(diagonal + (reach.causal ? 1 : sides));
    if (reach.window > 0)
        unreached.logical_or_(all().tril_(diagonal - sides));
    return unreached.defined() ? unreached.view({1, 1, queries, keys}) : unreached;
}

SharedAttention sharedAttention(const ForwardPass& pass, std::uint32_t site)
{
    return {pass.slice.length,
            pass.model.isDecoder(),
            pass.padding,
            pass.model.attentionDropout,
            pass.dropoutKey,
            &pass.compute(),
            site,
            pass.batch.sampleIndices,
            std::int64_t{pass.parallel.rank()} * pass.headsHere(),
            pass.packedPlaces,
            pass.batch.packedFrom};
}

/// Whether one operation of the device may do it all: every query has its own key, and nothing but softmax
/// and dropout happens to scores.
bool attendsPlainly(const ModelSpec& model, int layer)
{
    return model.keyHeads() == model.heads && !areHeadByHead(model) && !model.hasWindow(layer) &&
           model.scoreCap == 0 && model.positions == PositionEncoding::Learned;
}

// Of a bias [1, 1, S, S] the part of a shorter sequence.
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

double scaleOf(const ModelSpec& model)
{
    return 1.0 / std::sqrt(model.queryScaleWidth > 0 ? model.queryScaleWidth : model.headSize());
}

// One kernel that keeps no scores (Dao et al., arXiv:2205.14135). Drops nothing.
at::Tensor fusedAttention(const HeadTensors& heads, const at::Tensor& bias, bool causal, double scale)
{
    const auto added = !causal && bias.defined() ? std::optional(bias) : std::nullopt;
    return at::scaled_dot_product_attention(heads[0], heads[1], heads[2], added, 0.0, causal, scale);
}

// Of sequences of one length, with queries and keys turned by their positions.
HeadTensors turnedHeads(const at::Tensor& queryKeyValue_TW, std::int64_t sequences, std::int64_t length,
                        double scale, const ForwardPass& pass, int layer)
{
    const HeadGroups groups{sequences, pass.headsHere(), pass.keyHeadsHere(), length, pass.model.headSize()};
    HeadTensors heads =
        splitGroups(queryKeyValue_TW, groups, areHeadByHead(pass.model), scale, pass.compute());
    const AttentionPlaces& places = pass.placesOf(layer);
    return {places.turn(heads[0]), forEveryQuery(places.turn(heads[1]), groups),
            forEveryQuery(heads[2], groups)};
}

// Of those of batch.places(), which have one length.
at::Tensor attentionOf(IndexRange sequences, std::int64_t length, const at::Tensor& queryKeyValue_TW,
                       const at::Tensor& bias, const ForwardPass& pass, int layer, std::uint32_t site)
{
    const ModelSpec& model = pass.model;
    const double scale = scaleOf(model);
    const bool causal = isPlainlyCausal(pass.batch, model.isDecoder()) && !model.hasWindow(layer);
    const HeadShape shape{sequences.size(), pass.headsHere(), length, model.headSize()};
    if (pass.dropsHeads() && !pass.context && attendsPlainly(model, layer)) {
        const ScoreInput scores{bias, causal, pass.headDropout(sequences, site)};
        if (pass.compute().attends(queryKeyValue_TW, shape, scores))
            return attendTokens(queryKeyValue_TW, shape, scale, scores, pass.compute());
    }
    const bool fuses =
        pass.compute().fusesAttention() && !pass.dropsHeads() && !pass.context && model.scoreCap == 0;
    const HeadTensors heads =
        turnedHeads(queryKeyValue_TW, sequences.size(), length, fuses ? 1.0 : scale, pass, layer);
    if (pass.context)
        return pass.context->attend(heads[0], heads[1], heads[2], sharedAttention(pass, site));
    if (fuses)
        return fusedAttention(heads, bias, causal, scale)
            .transpose(1, 2)
            .reshape({-1, shape.heads * shape.width}); // a view of what the kernel wrote, token by token
    const at::Tensor scores_BALL = capped(Scores::apply(heads[0], heads[1]), model.scoreCap);
    const at::Tensor probabilities_BALL = attentionProbabilities(
        scores_BALL, {bias, causal, pass.headDropout(sequences, site)}, pass.compute());
    return mergeHeads(at::matmul(probabilities_BALL, heads[2]), pass.compute());
}

// One sequence after the other, each with the scores that it has: a bias that keeps the sequences of a row
// apart would make twice as many and more.
at::Tensor packedAttention(const at::Tensor& queryKeyValue_TW, const ForwardPass& pass, int layer,
                           std::uint32_t site)
{
    std::vector<at::Tensor> contexts;
    const std::vector<SequencePlace> places = pass.batch.places();
    std::vector<std::int64_t> lengths;
    for (const SequencePlace& place : places)
        lengths.push_back(place.length);
    const auto pieces = queryKeyValue_TW.split_with_sizes(lengths);
    for (std::size_t i = 0; i < places.size(); ++i) {
        const at::Tensor bias = ofFirst(lengths[i], pass.placesOf(layer).bias);
        const auto number = static_cast<std::int64_t>(i);
        contexts.push_back(attentionOf({number, number + 1}, lengths[i], pieces[i], bias, pass, layer, site));
    }
    return at::cat(contexts);
}

at::Tensor cachedAttentionOf(const SequencePlace& sequence, const at::Tensor& queryKeyValue_LW,
                             const ForwardPass& pass, int layer)
{
    const ModelSpec& model = pass.model;
    const HeadGroups groups{1, model.heads, model.keyHeads(), sequence.length, model.headSize()};
    const auto [query_1ALD, key_1KLD, value_1KLD] =
        splitGroups(queryKeyValue_LW, groups, areHeadByHead(model), scaleOf(model), pass.compute());
    const AttentionPlaces& places = pass.placesOf(layer);
    const KeysAndValues seen =
        pass.cache->append(layer, sequence.sample, {places.turn(key_1KLD, sequence.begin), value_1KLD});
    at::Tensor scores_1ALN = capped(at::matmul(places.turn(query_1ALD, sequence.begin),
                                               forEveryQuery(seen.keys, groups).transpose(-1, -2)),
                                    model.scoreCap);
    const AttentionReach reach{true, model.hasWindow(layer) ? model.window : 0};
    if (sequence.length > 1 || reach.window > 0) // else the last token alone, which sees every key
        scores_1ALN.masked_fill_(
            unreachedKeys(sequence.length, seen.keys.size(2), reach, pass.batch.inputIds.options()),
            lowestOf(scores_1ALN.scalar_type()));
    return mergeHeads(at::matmul(at::softmax(scores_1ALN, -1), forEveryQuery(seen.values, groups)),
                      pass.compute());
}

} // namespace

at::Tensor paddingKeys(const at::Tensor& mask_BS)
{
    return mask_BS.defined() ? mask_BS == 0 : at::Tensor();
}

at::Tensor attentionBias(const TokenBatch& batch, const at::Tensor& padding_BS, const AttentionReach& reach,
                         at::ScalarType type)
{
    at::Tensor unseen = padding_BS.defined() ? padding_BS.unsqueeze(1).unsqueeze(1) : at::Tensor();
    const std::int64_t length = batch.sequenceLength();
    const at::Tensor unreached = unreachedKeys(length, length, reach, batch.inputIds.options());
    if (unreached.defined())
        unseen = unseen.defined() ? unseen.logical_or(unreached) : unreached;
    if (!unseen.defined())
        return {};
    return at::zeros(unseen.sizes(), unseen.options().dtype(type)).masked_fill_(unseen, lowestOf(type));
}

bool isPlainlyCausal(const TokenBatch& batch, bool causal)
{
    return causal && !batch.attentionMask.defined();
}

at::Tensor attention(const at::Tensor& queryKeyValue_TW, const ForwardPass& pass, int layer,
                     std::uint32_t site)
{
    if (pass.batch.isPacked() && pass.context) // which tells the sequences in it apart
        return attentionOf({0, 1}, pass.batch.tokens(), queryKeyValue_TW, {}, pass, layer, site);
    if (pass.batch.isPacked())
        return packedAttention(queryKeyValue_TW, pass, layer, site);
    const auto sequences = static_cast<std::int64_t>(pass.batch.places().size());
    const std::int64_t length = pass.batch.places().front().length;
    return attentionOf({0, sequences}, length, queryKeyValue_TW, pass.placesOf(layer).bias, pass, layer,
                       site);
}

at::Tensor cachedAttention(const at::Tensor& queryKeyValue_TW, const ForwardPass& pass, int layer)
{
    std::vector<at::Tensor> contexts;
    for (const SequencePlace& sequence : pass.batch.places())
        contexts.push_back(cachedAttentionOf(
            sequence, queryKeyValue_TW.narrow(0, sequence.begin, sequence.length), pass, layer));
    return at::cat(contexts);
}

} // namespace trainyard
