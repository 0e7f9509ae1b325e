#include "engine/planner/memory/backward_tensors.h"

#include <algorithm>

#include "engine/planner/layout/shape.h"
#include "engine/planner/memory/layer_tensors.h"

namespace trainyard {

namespace {

constexpr Bytes kPieceElements = Bytes{1} << 20; ///< of a weight's gradient in a narrow type, at once
constexpr Bytes kPieceRows = 256;                ///< at least
constexpr Bytes kMaxTileLength = 512;            ///< queries or keys that ring attention handles at once

bool slicesTokens(const RunSpec& spec)
{
    return spec.layout.tensor > 1 && spec.layout.sequence;
}

bool normsLast(const RunSpec& spec)
{
    return spec.model.norm == NormPlacement::Post;
}

/// What products hold besides their results, of which `bytes` are given, in the type of the computation.
class ResultCopies {
public:
    ResultCopies(const RunSpec& spec, NarrowProducts products)
        : m_perElement(products == NarrowProducts::Widened ? 4 : 0)
        , m_elementSize(static_cast<Bytes>(elementSize(spec.precision.compute)))
    {
    }

    Bytes operator()(Bytes bytes) const { return bytes / m_elementSize * m_perElement; }
    /// The result and its copy.
    Bytes with(Bytes bytes) const { return bytes + (*this)(bytes); }
    explicit operator bool() const { return m_perElement > 0; }

private:
    Bytes m_perElement;
    Bytes m_elementSize;
};

/// Of the gradient of a weight with so many elements, the part that is on its way to a wider type.
Bytes gradientPiece(const RunSpec& spec, Bytes elements, Bytes columns)
{
    const Bytes e = static_cast<Bytes>(elementSize(spec.precision.compute));
    return e < 4 ? std::min(elements, std::max(kPieceElements, kPieceRows * columns)) * e : 0;
}

/// The gradient behind the dropout of the layer's output, and the one behind the product before it. With a
/// gate both factors' gradients are made next.
Bytes feedForwardGradients(const RunSpec& spec, const LayerTensors& z, const ResultCopies& copies)
{
    const Bytes ofOutput = slicesTokens(spec) ? z.gathered : spec.model.dropout > 0 ? z.hidden : 0;
    const bool gated = spec.model.isGated();
    const Bytes h = static_cast<Bytes>(spec.model.hidden);
    const Bytes columns = static_cast<Bytes>(spec.model.intermediate / spec.layout.tensor);
    const Bytes ofWeight = copies ? copies.with(gradientPiece(spec, h * columns, columns)) : 0;
    const Bytes ofProducts = ofOutput + std::max(copies.with(z.inner), ofWeight);
    return gated ? std::max(ofProducts, 2 * z.inner) : ofProducts;
}

BackwardTensors inFeedForward(const RunSpec& spec, const LayerTensors& z, const ResultCopies& copies)
{
    const Bytes ofNorm = normsLast(spec) ? z.hidden + z.statistics : 0;
    return {z.hidden + feedForwardGradients(spec, z, copies), z.mask + ofNorm};
}

/// Ring attention: the gradients of queries, keys and values are sums, and a few tiles of scores are there.
Bytes ringGradients(const RunSpec& spec, Bytes tokens, const LayerTensors& z)
{
    const Bytes e = static_cast<Bytes>(elementSize(spec.precision.compute));
    const Bytes wide = wideSize(spec.precision.compute);
    const Bytes side = std::min(tokens, kMaxTileLength);
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

/// The gradients of the heads' outputs, and of queries, keys and values as they lie in the tokens.
Bytes tokenGradients(const RunSpec& spec, const LayerTensors& z, Bytes tokens)
{
    const Bytes rows = static_cast<Bytes>(spec.batch.micro) * tokens * static_cast<Bytes>(spec.model.heads) /
                       static_cast<Bytes>(spec.layout.tensor);
    const Bytes again = spec.memory.recompute == RecomputeKind::Selective ? z.heads + z.scoresKept : 0;
    return 4 * z.heads + rows * wideSize(spec.precision.compute) + again;
}

/// The gradients of the heads' outputs, values and probabilities; of packed sequences one is at it at a time.
/// What selective recomputation makes again is there as well, with the scores that it made it from.
Bytes attentionGradients(const RunSpec& spec, Bytes tokens, const LayerTensors& z)
{
    if (spec.layout.context > 1)
        return ringGradients(spec, tokens, z);
    if (fusesAttention(spec))
        return fusedGradients(spec, z);
    if (attendsTokens(spec, tokens))
        return tokenGradients(spec, z, tokens);
    if (spec.memory.recompute == RecomputeKind::Selective)
        return 7 * z.heads + z.scoresKept + z.scores;
    const Bytes together = spec.batch.packing ? static_cast<Bytes>(spec.batch.micro) : 1;
    return 2 * z.heads + z.scores / together;
}

BackwardTensors inAttention(const RunSpec& spec, Bytes tokens, const LayerTensors& z,
                            const ResultCopies& copies)
{
    const Bytes ofNorms = normsLast(spec) ? 2 * (z.hidden + z.statistics) : z.hidden + z.statistics;
    const Bytes ofOutputs = copies ? copies.with(z.heads) : 0; // the product before
    return {z.hidden + std::max(attentionGradients(spec, tokens, z), ofOutputs),
            z.innerKept + 2 * z.mask + z.contextKept + z.middleKept + ofNorms};
}

/// Where ranks share the vocabulary they keep the exponentials, made from the logits in a wide type, while
/// the last layer's output is there.
BackwardTensors inLogits(const RunSpec& spec, Bytes numbers, const LayerTensors& z,
                         const ResultCopies& copies)
{
    const Bytes e = static_cast<Bytes>(elementSize(spec.precision.compute));
    if (spec.layout.tensor == 1)
        return {std::max(numbers * e, copies(numbers * e)), 0}; // the copy is gone when the gradient comes
    const Bytes widened = e < wideSize(spec.precision.compute) ? wideSize(spec.precision.compute) : 0;
    return {numbers * (e + widened) + (normsLast(spec) || slicesTokens(spec) ? z.hidden : 0), 0};
}

Bytes decoderGradientPiece(const RunSpec& spec)
{
    const Bytes h = static_cast<Bytes>(spec.model.hidden);
    const Bytes rows = static_cast<Bytes>(spec.model.vocabulary) / static_cast<Bytes>(spec.layout.tensor);
    return gradientPiece(spec, rows * h, h);
}

} // namespace

LayerBackward layerBackward(const RunSpec& spec, Bytes tokens, NarrowProducts products)
{
    const ResultCopies copies(spec, products);
    const LayerTensors z = layerTensors(spec, tokens);
    return {inFeedForward(spec, z, copies), inAttention(spec, tokens, z, copies)};
}

// Where the norm comes first the gradient also goes round the feed-forward part, so it is there anyway.
Bytes besideRecomputation(const RunSpec& spec, Bytes tokens)
{
    const LayerTensors z = layerTensors(spec, tokens);
    return normsLast(spec) ? 2 * z.hidden : z.hidden;
}

namespace {

/// Of a row the pooled token with its dropout, or of each token what dropout left.
HeadActivations taskActivations(const RunSpec& spec, const LayerTensors& z, Bytes tokens)
{
    const TaskSpec& task = spec.model.task;
    const Bytes e = static_cast<Bytes>(elementSize(spec.precision.compute));
    const Bytes places = static_cast<Bytes>(spec.batch.micro) * (task.poolsFirstToken() ? 1 : tokens);
    const Bytes elements = places * static_cast<Bytes>(spec.model.hidden);
    const bool drops = task.kind != TaskKind::Answer && task.dropout > 0;
    HeadActivations head;
    head.kept = (task.poolsFirstToken() ? 2 : 0) * elements * e + (drops ? elements * (e + 1) : 0);
    head.logits = places * static_cast<Bytes>(task.outputs()) * e;
    head.ofLogits = {head.logits, 0};
    head.ofWeights = {head.logits + z.gathered, head.logits};
    return head;
}

/// Of BERT's head the masked tokens, the inputs of activation, norm and decoder, of a decoder's head the
/// input of its product; frozen products keep none.
Bytes headInputsKept(bool encoder, bool frozen)
{
    if (encoder)
        return frozen ? 2 : 4;
    return frozen ? 0 : 1;
}

} // namespace

HeadActivations headActivations(const RunSpec& spec, Bytes tokens, Bytes targets, NarrowProducts products)
{
    if (spec.model.task.hasHead())
        return taskActivations(spec, layerTensors(spec, tokens), tokens);
    const ResultCopies copies(spec, products);
    const LayerTensors z = layerTensors(spec, tokens);
    const ModelSpec& m = spec.model;
    const Bytes e = static_cast<Bytes>(elementSize(spec.precision.compute));
    const Bytes predicted = static_cast<Bytes>(spec.batch.micro) * targets;
    const Bytes hidden = predicted * static_cast<Bytes>(m.hidden) * e;
    const bool encoder = !m.isDecoder();
    const Bytes numbers =
        predicted * static_cast<Bytes>(m.vocabulary) / static_cast<Bytes>(spec.layout.tensor);
    const Bytes finalNorm = normsLast(spec) ? 0 : z.gathered + z.statistics;
    const bool frozen = m.lora.isOn();
    HeadActivations head;
    head.kept = headInputsKept(encoder, frozen) * hidden + finalNorm;
    head.pending = frozen ? 0 : numbers * e + (encoder ? 3 : 1) * hidden;
    head.logits = numbers * (spec.layout.tensor > 1 ? wideSize(spec.precision.compute) : e);
    head.ofLogits = inLogits(spec, numbers, z, copies);
    if (m.logitCap > 0) { // its tanh, and on the way back two gradients
        head.kept += numbers * e;
        head.ofLogits.made += numbers * e;
    }
    const Bytes ofDecoder = frozen ? 0 : copies.with(decoderGradientPiece(spec));
    head.ofWeights = {numbers * e + std::max(copies.with(hidden), ofDecoder) +
                          (encoder && m.predictsNextSentence() ? z.gathered : 0),
                      head.logits};
    return head;
}

} // namespace trainyard
