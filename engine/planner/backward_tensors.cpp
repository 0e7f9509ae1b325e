#include "engine/planner/backward_tensors.h"

#include <algorithm>

#include "engine/planner/element_size.h"
#include "engine/planner/fused_attention.h"
#include "engine/planner/layer_tensors.h"

namespace trainyard {

namespace {

constexpr Bytes kPieceElements = Bytes{1} << 20; ///< of a weight's gradient in a narrow type, at once
constexpr Bytes kPieceRows = 256;                ///< at least
constexpr Bytes kLongestTile = 512;              ///< queries or keys that ring attention handles at once

bool slicesTokens(const RunSpec& spec)
{
    return spec.layout.tensor > 1 && spec.layout.sequence;
}

bool normsLast(const RunSpec& spec)
{
    return spec.model.norm == NormPlacement::Post;
}

/// The gradient behind the dropout of the layer's output, and the one behind the product before it. With a
/// gate both factors' gradients are made next.
Bytes feedForwardGradients(const RunSpec& spec, const LayerTensors& z)
{
    const Bytes ofOutput = slicesTokens(spec) ? z.gathered : z.mask > 0 ? z.hidden : 0;
    const bool gated = spec.model.activation == Activation::Swiglu;
    return gated ? std::max(ofOutput + z.inner, 2 * z.inner) : ofOutput + z.inner;
}

BackwardTensors inFeedForward(const RunSpec& spec, const LayerTensors& z, bool retains)
{
    const Bytes ofNorm = normsLast(spec) ? z.hidden + z.statistics : 0;
    return {z.hidden + feedForwardGradients(spec, z), retains ? 0 : z.mask + ofNorm};
}

/// Ring attention: the gradients of queries, keys and values are sums, and a few tiles of scores are there.
Bytes ringGradients(const RunSpec& spec, Bytes tokens, const LayerTensors& z)
{
    const Bytes e = static_cast<Bytes>(elementSize(spec.precision.compute));
    const Bytes wide = wideSize(spec.precision.compute);
    const Bytes side = std::min(tokens, kLongestTile);
    const Bytes heads = static_cast<Bytes>(spec.batch.micro) * static_cast<Bytes>(spec.model.heads) /
                        static_cast<Bytes>(spec.layout.tensor);
    return z.heads + 3 * z.heads / e * wide + 3 * heads * side * side * wide;
}

/// The gradients of the heads' outputs, queries, keys and values, and of the queries a sum as well.
Bytes fusedGradients(const RunSpec& spec, const LayerTensors& z)
{
    const Bytes e = static_cast<Bytes>(elementSize(spec.precision.compute));
    const Bytes again = spec.memory.recompute == RecomputeKind::Selective ? 5 * z.heads + z.scoresKept : 0;
    return 4 * z.heads + z.heads / e * wideSize(spec.precision.compute) + again;
}

/// The gradients of the heads' outputs, values and probabilities; of packed sequences one is at it at a time.
/// What selective recomputation makes again is there as well, with the scores that it made it from.
Bytes attentionGradients(const RunSpec& spec, Bytes tokens, const LayerTensors& z)
{
    if (spec.layout.context > 1)
        return ringGradients(spec, tokens, z);
    if (fusesAttention(spec))
        return fusedGradients(spec, z);
    if (spec.memory.recompute == RecomputeKind::Selective)
        return 7 * z.heads + z.scoresKept + z.scores;
    const Bytes together = spec.batch.packing ? static_cast<Bytes>(spec.batch.micro) : 1;
    return 2 * z.heads + z.scores / together;
}

BackwardTensors inAttention(const RunSpec& spec, Bytes tokens, const LayerTensors& z, bool retains)
{
    const Bytes ofNorms = normsLast(spec) ? 2 * (z.hidden + z.statistics) : z.hidden + z.statistics;
    return {z.hidden + attentionGradients(spec, tokens, z),
            retains ? 0 : z.innerKept + 2 * z.mask + z.heads + z.gathered + ofNorms};
}

/// Where ranks share the vocabulary they keep the exponentials, made from the logits in a wide type, while
/// the last layer's output is there.
BackwardTensors inLogits(const RunSpec& spec, Bytes numbers, const LayerTensors& z)
{
    const Bytes e = static_cast<Bytes>(elementSize(spec.precision.compute));
    if (spec.layout.tensor == 1)
        return {numbers * e, 0};
    const Bytes widened = e < wideSize(spec.precision.compute) ? wideSize(spec.precision.compute) : 0;
    return {numbers * (e + widened) + (normsLast(spec) || slicesTokens(spec) ? z.hidden : 0), 0};
}

/// A part of the decoder's gradient on its way to a wider type.
Bytes gradientPiece(const RunSpec& spec)
{
    const Bytes e = static_cast<Bytes>(elementSize(spec.precision.compute));
    const Bytes h = static_cast<Bytes>(spec.model.hidden);
    const Bytes decoder =
        static_cast<Bytes>(spec.model.vocabulary) / static_cast<Bytes>(spec.layout.tensor) * h;
    return e < 4 ? std::min(decoder, std::max(kPieceElements, kPieceRows * h)) * e : 0;
}

} // namespace

LayerBackward layerBackward(const RunSpec& spec, Bytes tokens, bool retains)
{
    const LayerTensors z = layerTensors(spec, tokens);
    return {inFeedForward(spec, z, retains), inAttention(spec, tokens, z, retains)};
}

// Where the norm comes first the gradient also goes round the feed-forward part, so it is there anyway.
Bytes besideRecomputation(const RunSpec& spec, Bytes tokens)
{
    const LayerTensors z = layerTensors(spec, tokens);
    return normsLast(spec) ? 2 * z.hidden : z.hidden;
}

HeadActivations headActivations(const RunSpec& spec, Bytes tokens, Bytes targets, bool retains)
{
    const LayerTensors z = layerTensors(spec, tokens);
    const ModelSpec& m = spec.model;
    const Bytes e = static_cast<Bytes>(elementSize(spec.precision.compute));
    const Bytes predicted = static_cast<Bytes>(spec.batch.micro) * targets;
    const Bytes hidden = predicted * static_cast<Bytes>(m.hidden) * e;
    const bool encoder = m.family == ModelFamily::Bert;
    const Bytes numbers =
        predicted * static_cast<Bytes>(m.vocabulary) / static_cast<Bytes>(spec.layout.tensor);
    const Bytes finalNorm = normsLast(spec) ? 0 : z.gathered + z.statistics;
    HeadActivations head;
    head.kept = (encoder ? 4 : 1) * hidden + finalNorm;
    head.logits = numbers * (spec.layout.tensor > 1 ? wideSize(spec.precision.compute) : e);
    head.ofLogits = inLogits(spec, numbers, z);
    head.ofWeights = {numbers * e + std::max(hidden, gradientPiece(spec)) +
                          (encoder && m.nextSentence ? z.gathered : 0),
                      retains ? 0 : head.logits};
    return head;
}

} // namespace trainyard
