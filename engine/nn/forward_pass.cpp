#include "engine/nn/forward_pass.h"

#include <algorithm>

#include <ATen/ops/arange.h>

#include "engine/base/check.h"
#include "engine/nn/attention.h"

namespace trainyard {

namespace {

// Packed sequences share the tables of the positions from 0 on, unless they continue cached ones or lie on
// several ranks: then each token has its own.
at::Tensor rotaryPositions(const TokenBatch& batch, bool continues)
{
    const bool given = batch.positionIds.defined() && (!batch.isPacked() || continues);
    return given ? batch.positionIds : at::arange(batch.sequenceLength(), batch.inputIds.options());
}

// As RoBERTa counts: padding is left out, and has the position before that of the first token.
TokenBatch withCountedPositions(const ModelSpec& model, const TokenBatch& batch)
{
    if (model.positionOffset == 0 || batch.positionIds.defined())
        return batch;
    TokenBatch counted = batch;
    const at::Tensor isToken = batch.inputIds.ne(model.paddingWord).to(at::kLong);
    counted.positionIds = isToken.cumsum(1) * isToken - 1;
    return counted;
}

DropoutPlaces dropoutPlacesOf(const ForwardPass& pass)
{
    std::vector<std::uint64_t> samples;
    for (const SequencePlace& sequence : pass.batch.places())
        samples.push_back(sequence.sample);
    return pass.compute().placesOf(pass.runsHere(), samples, pass.device.place);
}

} // namespace

SharedPass beginPass(const PassSetting& setting, const TokenBatch& batch,
                     const std::optional<DropoutKey>& dropoutKey, KeyValueCache* cache,
                     double routerLossScale)
{
    const auto& [model, runner, type, parallel, experts, device, context] = setting;
    TRAINYARD_CHECK(!cache || (batch.isPacked() && batch.positionIds.defined()));
    const SequenceSlice slice = sliceHere(model, batch, context);
    const TokenBatch whole = withCountedPositions(model, batch);
    const TokenBatch here = context ? sliceOf(whole, slice) : whole;
    const at::Tensor padding = paddingKeys(batch.attentionMask);
    const auto placesOf = [&](bool windowed) {
        AttentionPlaces places;
        if (!context && !cache)
            places.bias =
                attentionBias(batch, padding, {model.isDecoder(), windowed ? model.window : 0}, type);
        if (model.positions == PositionEncoding::Rotary)
            places.rotary.emplace(rotaryPositions(here, cache || context), model, windowed, type);
        return places;
    };
    auto pass = std::make_shared<ForwardPass>(
        ForwardPass{model, runner, here, slice,
                    context && batch.isPacked() ? batch.places() : std::vector<SequencePlace>(), padding,
                    placesOf(false), model.window > 0 ? placesOf(true) : AttentionPlaces(), dropoutKey,
                    parallel, experts, device, context, cache, routerLossScale});
    if (dropoutKey && (model.dropout > 0 || model.attentionDropout > 0))
        pass->dropoutPlaces = dropoutPlacesOf(*pass);
    return pass;
}

SequenceSlice sliceHere(const ModelSpec& model, const TokenBatch& batch, const ContextParallel* context)
{
    if (!context)
        return SequenceSlice::whole(batch.sequenceLength());
    return sliceFor(batch, context->rank(), context->ranks(), model.isDecoder());
}

at::Tensor ForwardPass::firstTokens() const
{
    const at::Tensor first = batch.firstTokens();
    const bool begins = batch.isPacked() || slice.hasFirst();
    return first.narrow(0, 0, begins ? first.size(0) : 0);
}

IndexRange ForwardPass::tokensHere() const
{
    return parallel.tokensHere(batch.tokens());
}

at::Tensor ForwardPass::dropTokens(const at::Tensor& hidden_TH, double probability, std::uint32_t site) const
{
    return dropped(hidden_TH, tokensHere(), probability, site);
}

at::Tensor ForwardPass::dropAllTokens(const at::Tensor& hidden_TH, double probability,
                                      std::uint32_t site) const
{
    return dropped(hidden_TH, {0, batch.tokens()}, probability, site);
}

at::Tensor ForwardPass::dropSequences(const at::Tensor& hidden_BH, double probability,
                                      std::uint32_t site) const
{
    if (!dropoutKey || hidden_BH.size(0) == 0)
        return hidden_BH;
    std::vector<DropoutPart> parts;
    for (const std::uint64_t sample : batch.samplesBegun())
        parts.push_back({sample, 0, hidden_BH.size(1)});
    return dropout(hidden_BH, probability, *dropoutKey, site, parts, compute());
}

at::Tensor ForwardPass::dropped(const at::Tensor& hidden_TH, IndexRange here, double probability,
                                std::uint32_t site) const
{
    if (!dropoutKey)
        return hidden_TH;
    const std::int64_t width = hidden_TH.size(-1);
    // Masks are drawn by the place of an element in its whole sequence: the parts say which elements of that
    // these rows are, and so every layout drops the same ones.
    std::vector<DropoutPart> parts;
    forEachRun(here, [&](std::uint64_t sample, std::int64_t first, std::int64_t count) {
        parts.push_back({sample, first * width, count * width});
    });
    return dropout(hidden_TH, probability, *dropoutKey, site, parts, compute());
}

void ForwardPass::forEachRun(
    IndexRange here, const std::function<void(std::uint64_t, std::int64_t, std::int64_t)>& visit) const
{
    for (const SequencePlace& sequence : batch.places()) {
        std::int64_t token = sequence.begin;
        const std::vector<IndexRange> packed{{sequence.first, sequence.first + sequence.length}};
        for (const IndexRange& run : batch.isPacked() ? packed : slice.positions) {
            const std::int64_t begin = std::max(token, here.begin);
            const std::int64_t end =
                std::min({token + run.size(), sequence.begin + sequence.length, here.end});
            if (begin < end)
                visit(sequence.sample, run.begin + begin - token, end - begin);
            token += run.size();
        }
    }
}

// Whole rows of a run of tokens are one part; of rows that ranks share each one is a part.
at::Tensor ForwardPass::dropColumns(const at::Tensor& input, IndexRange columns, std::int64_t width,
                                    IndexRange tokens, double probability, const DropoutKey& key,
                                    std::uint32_t site) const
{
    std::vector<DropoutPart> parts;
    forEachRun(tokens, [&](std::uint64_t sample, std::int64_t first, std::int64_t count) {
        if (columns.size() == width)
            parts.push_back({sample, first * width, count * width});
        for (std::int64_t row = first; columns.size() < width && row < first + count; ++row)
            parts.push_back({sample, row * width + columns.begin, columns.size()});
    });
    return dropout(input.contiguous(), probability, key, site, parts, compute());
}

std::vector<DropoutPart> ForwardPass::runsHere() const
{
    std::vector<DropoutPart> runs;
    forEachRun(tokensHere(), [&](std::uint64_t sample, std::int64_t first, std::int64_t count) {
        runs.push_back({sample, first, count});
    });
    return runs;
}

std::optional<RowDropout> ForwardPass::tokenDropout(double probability, std::uint32_t site) const
{
    if (!dropoutKey || probability == 0 || tokensHere().size() == 0)
        return std::nullopt;
    return RowDropout{runsHere(), dropoutPlaces.tokens, dropoutRates(probability, *dropoutKey, site)};
}

ScoreDropout ForwardPass::headDropout(IndexRange sequences, std::uint32_t site) const
{
    if (!dropsHeads())
        return {};
    ScoreDropout dropout{{},
                         {},
                         batch.sequenceLength(),
                         std::int64_t{parallel.rank()} * headsHere(),
                         dropoutRates(model.attentionDropout, *dropoutKey, site)};
    const std::vector<SequencePlace> places = batch.places();
    for (std::int64_t i = sequences.begin; i < sequences.end; ++i)
        dropout.samples.push_back(places[static_cast<std::size_t>(i)].sample);
    if (dropoutPlaces.sequences.defined())
        dropout.places = dropoutPlaces.sequences.narrow(0, sequences.begin, sequences.size());
    return dropout;
}

} // namespace trainyard
