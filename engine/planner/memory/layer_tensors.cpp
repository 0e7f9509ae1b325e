#include "engine/planner/memory/layer_tensors.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "engine/planner/layout/shape.h"
#include "engine/spec/lora_targets.h"

namespace trainyard {

namespace {

/// Of the scores of so many queries: the probabilities, and with dropout their mask and what is left of them.
/// Where dropout is drawn again, the scores, one number per query, and what is left of the probabilities;
/// where one kernel does it all, a bit per score.
Bytes keptOfScores(const RunSpec& spec, Bytes rows, Bytes keys)
{
    const Bytes e = static_cast<Bytes>(elementSize(spec.precision.compute));
    const Bytes ofQuery = wideSize(spec.precision.compute);
    if (spec.layout.context > 1 || fusesAttention(spec))
        return rows * ofQuery;
    if (attendsTokens(spec, keys))
        return rows * (keys / 8 + ofQuery);
    if (redrawsDropout(spec))
        return rows * (keys * 2 * e + ofQuery);
    return rows * keys * (spec.model.attentionDropout > 0 ? 2 * e + 1 : e);
}

/// The input and the output of the activation; of a gated one both halves, the gate's and their product. What
/// goes into the next product only if that needs it.
Bytes innerKept(const ModelSpec& model, bool keepsOutput)
{
    return (model.isGated() ? 3 : 1) + (keepsOutput ? 1 : 0);
}

/// Products of a layer by the input that they share.
enum class ProductInput { Layer, Context, Middle, Inner };

ProductInput inputOf(const AdaptableProduct& product)
{
    if (product.isOfAttention)
        return product.cutsOutputs ? ProductInput::Layer : ProductInput::Context;
    return product.cutsOutputs ? ProductInput::Middle : ProductInput::Inner;
}

/// Adapters whose input is this one.
Bytes adaptersAt(ProductInput input, const ModelSpec& model)
{
    const std::vector<AdaptableProduct> adapted = adaptedProducts(model);
    return static_cast<Bytes>(std::ranges::count(adapted, input, inputOf));
}

/// The input itself: of weights that are trained, or of adapters that see all of it.
bool isKept(ProductInput input, const ModelSpec& model)
{
    return !model.lora.isOn() || (model.lora.dropout == 0 && adaptersAt(input, model) > 0);
}

/// Of each adapter what it has between its products, and with dropout the mask and what is left of the input.
Bytes keptOfAdapters(const RunSpec& spec, const LayerTensors& z, Bytes all, Bytes here)
{
    const LoraSpec& lora = spec.model.lora;
    const Bytes e = static_cast<Bytes>(elementSize(spec.precision.compute));
    Bytes kept = 0;
    for (const auto& [input, size, tokens] : {std::tuple(ProductInput::Layer, z.hidden, all),
                                              {ProductInput::Context, z.heads, here},
                                              {ProductInput::Middle, z.hidden, all},
                                              {ProductInput::Inner, z.inner, here}}) {
        const Bytes dropped = lora.dropout > 0 ? size / e * (e + 1) : 0;
        kept += adaptersAt(input, spec.model) * (tokens * static_cast<Bytes>(lora.rank) * e + dropped);
    }
    return kept;
}

/// Norms of a layer, those of queries and keys left out.
Bytes normsOf(const ModelSpec& model)
{
    return model.norm == NormPlacement::Both ? 4 : 2;
}

/// What layers keep that are not as BERT's and GPT's: the inputs of further norms, of queries and keys before
/// theirs, and scores that were capped. Branches that share their input keep it once.
Bytes keptBesides(const ModelSpec& model, const LayerTensors& z)
{
    const Bytes ofQueries = z.heads / static_cast<Bytes>(std::max(1, model.queryWidth()));
    const Bytes ofHeads =
        model.queryKeyNorm == QueryKeyNorm::None ? 0 : ofQueries * static_cast<Bytes>(model.attentionWidth());
    const Bytes cap = model.scoreCap > 0 ? z.scores : 0;
    return (normsOf(model) - 2) * z.hidden + ofHeads + cap;
}

/// Pairs of a token and one of its experts on this rank's experts, as on the busiest rank.
Bytes pairsHere(const RunSpec& spec, Bytes pairs)
{
    return static_cast<Bytes>(std::llround(double(pairs) * expertImbalance(spec.layout)));
}

/// Of the mean layer.
Bytes innerWidth(const RunSpec& spec)
{
    const ModelSpec& m = spec.model;
    if (!m.experts.isOn())
        return static_cast<Bytes>(m.intermediate);
    const Bytes every = static_cast<Bytes>(m.experts.every);
    const Bytes experts =
        pairsHere(spec, static_cast<Bytes>(m.experts.perToken) * static_cast<Bytes>(m.expertWidth()));
    return (experts + (every - 1) * static_cast<Bytes>(m.intermediate)) / every;
}

/// Of the mean layer: the copies of tokens that experts see, what each gives, the router's logits and
/// probabilities, and three numbers for each copy: its expert, its place there, its weight.
Bytes keptOfExperts(const RunSpec& spec, Bytes tokens)
{
    const ExpertSpec& experts = spec.model.experts;
    if (!experts.isOn())
        return 0;
    const Bytes h = static_cast<Bytes>(spec.model.hidden);
    const Bytes wide = wideSize(spec.precision.compute);
    const Bytes copies = tokens * static_cast<Bytes>(experts.perToken);
    const Bytes ofRouter = tokens * static_cast<Bytes>(experts.count) * 2 * wide;
    const Bytes e = static_cast<Bytes>(elementSize(spec.precision.compute));
    const Bytes ofCopies = pairsHere(spec, copies) * h * e + copies * (h * wide + 3 * sizeof(double));
    return (ofRouter + ofCopies) / static_cast<Bytes>(experts.every);
}

} // namespace

Bytes wideSize(ComputeType type)
{
    return std::max<Bytes>(4, static_cast<Bytes>(elementSize(type)));
}

LayerTensors layerTensors(const RunSpec& spec, Bytes tokens)
{
    const ModelSpec& m = spec.model;
    const Bytes e = static_cast<Bytes>(elementSize(spec.precision.compute));
    const Bytes cut = static_cast<Bytes>(spec.layout.tensor);
    const Bytes all = static_cast<Bytes>(spec.batch.micro) * tokens;
    const Bytes here = spec.layout.sequence ? all / cut : all;
    const Bytes h = static_cast<Bytes>(m.hidden);
    const Bytes rows = all * static_cast<Bytes>(m.heads) / cut; // of queries, over the heads
    LayerTensors z;
    z.hidden = here * h * e;
    z.gathered = all * h * e;
    z.heads = all * static_cast<Bytes>(m.queryWidth()) * e / cut;
    z.inner = all * innerWidth(spec) * e / cut;
    z.innerKept = innerKept(m, isKept(ProductInput::Inner, m)) * z.inner;
    z.scores = rows * tokens * e;
    z.scoresKept = keptOfScores(spec, rows, tokens);
    z.embeddingsMask = m.dropout > 0 ? here * h : 0;
    const bool isInNorm = m.norm == NormPlacement::Post; // only norms draw it again
    z.mask = redrawsDropout(spec) && isInNorm ? 0 : z.embeddingsMask;
    const Bytes perRow = m.normKind == NormKind::LayerNorm ? 2 : 1;
    z.statistics = here * perRow * wideSize(spec.precision.compute);
    const Bytes ofProduct = m.lora.isOn() ? z.hidden : z.gathered; // adapters see it before it is gathered
    z.inputKept = isKept(ProductInput::Layer, m) ? ofProduct : 0;
    z.contextKept = isKept(ProductInput::Context, m) ? z.heads : 0;
    z.middleKept = isKept(ProductInput::Middle, m) ? ofProduct : 0;
    z.besides = keptBesides(m, z) + keptOfExperts(spec, all);
    z.shared = m.parallelResidual ? z.hidden : 0;
    z.adapters = m.lora.isOn() ? keptOfAdapters(spec, z, all, here) : 0;
    return z;
}

// Of queries, keys and values together, of attention's outputs, and of the feed-forward layer's two sides:
// inputs, and gradients of outputs. Of frozen weights where they have adapters, whose two products take one
// of them each.
Bytes pendingProducts(const RunSpec& spec, Bytes tokens)
{
    const ModelSpec& m = spec.model;
    const LayerTensors z = layerTensors(spec, tokens);
    const Bytes heads = static_cast<Bytes>(m.heads);
    const Bytes queryKeyValue = z.heads * (heads + 2 * static_cast<Bytes>(m.keyHeads())) / heads;
    Bytes pending = 0;
    for (const auto& [input, in, out] : {std::tuple(ProductInput::Layer, z.gathered, queryKeyValue),
                                         {ProductInput::Context, z.heads, z.gathered},
                                         {ProductInput::Middle, z.gathered, (m.isGated() ? 2 : 1) * z.inner},
                                         {ProductInput::Inner, z.inner, z.gathered}}) {
        if (!m.lora.isOn() || adaptersAt(input, m) > 0)
            pending += in + out;
    }
    return pending;
}

} // namespace trainyard
