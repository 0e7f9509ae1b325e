#include "engine/planner/memory/rank_activations.h"

#include <algorithm>

#include "engine/base/check.h"
#include "engine/planner/memory/in_flight_micro_batches.h"
#include "engine/spec/context_share.h"

namespace trainyard {

namespace {

/// Of a sequence, on the context-parallel rank that has most.
Bytes tokensHere(const RunSpec& spec, int length)
{
    const bool causal = spec.model.isDecoder();
    int most = 0;
    for (int rank = 0; rank < spec.layout.context; ++rank)
        most = std::max(most, tokensOfContextRank(length, rank, spec.layout.context, causal));
    return static_cast<Bytes>(most);
}

Bytes targetsHere(const RunSpec& spec, const SequenceShape& shape)
{
    return std::min(tokensHere(spec, shape.length), static_cast<Bytes>(shape.targets(spec.model)));
}

/// The first stage does not: nobody waits for the gradients of its inputs.
bool splitsBackwardPasses(const RunSpec& spec, int pipelineRank)
{
    return pipelineRank > 0 && spec.layout.schedule == PipelineScheduleKind::ZeroBubble;
}

} // namespace

RankActivations::RankActivations(const RunSpec& spec, const SequenceShape& shape,
                                 const std::vector<int>& layerCounts, int pipelineRank,
                                 NarrowProducts products)
    : m_spec(spec)
    , m_tokens(tokensHere(spec, shape.length))
    , m_tensors(layerTensors(spec, m_tokens))
    , m_layer(layerActivations(spec, m_tokens))
    , m_backward(layerBackward(spec, m_tokens, products))
    , m_head(headActivations(spec, m_tokens, targetsHere(spec, shape), products))
    , m_splits(splitsBackwardPasses(spec, pipelineRank))
    , m_pending(pendingMicroBatches(spec, pipelineRank))
{
    const std::vector<Bytes> passes = inFlightMicroBatches(spec, pipelineRank);
    TRAINYARD_CHECK(layerCounts.size() == passes.size() * static_cast<std::size_t>(spec.layout.pipeline));
    for (std::size_t i = 0; i < passes.size(); ++i) {
        const std::size_t stage =
            static_cast<std::size_t>(pipelineRank) + i * static_cast<std::size_t>(spec.layout.pipeline);
        m_chunks.push_back(
            {static_cast<Bytes>(layerCounts[stage]), passes[i], stage == 0, stage + 1 == layerCounts.size()});
    }
}

MemoryByCategory RankActivations::at(StepMoment moment) const
{
    MemoryByCategory bytes{};
    bytes[static_cast<std::size_t>(MemoryCategory::Activations)] = activationsAt(moment);
    bytes[static_cast<std::size_t>(MemoryCategory::Host)] = waitingOnHost(moment);
    bytes[static_cast<std::size_t>(MemoryCategory::Communication)] =
        moment == StepMoment::Attention ? ringBlocks() : 0;
    return bytes;
}

Bytes RankActivations::embeddingsKept() const
{
    if (m_spec.model.lora.isOn()) // nothing there has a gradient
        return 0;
    const bool normed = m_spec.model.embeddingNorm;
    return m_tensors.embeddingsMask + (normed ? m_tensors.hidden + m_tensors.statistics : 0);
}

/// Of a micro-batch's pass through a chunk. What goes to the next stage is held until its gradient comes.
Bytes RankActivations::keptOf(const Chunk& chunk) const
{
    const Bytes end = chunk.head ? m_head.kept + m_head.logits : m_tensors.hidden;
    return layersKept(chunk.layers) + (chunk.embeddings ? embeddingsKept() : 0) + end;
}

/// Of a micro-batch whose gradients of weights are to come.
Bytes RankActivations::pendingOf(const Chunk& chunk) const
{
    return chunk.layers * pendingProducts(m_spec, m_tokens) + (chunk.head ? m_head.pending : 0);
}

/// With several chunks, what the next forward pass starts from has come as well.
Bytes RankActivations::heldInAll() const
{
    Bytes held = m_chunks.size() > 1 ? m_tensors.hidden : 0;
    for (const Chunk& chunk : m_chunks)
        held += chunk.passes * keptOf(chunk) + m_pending * pendingOf(chunk);
    return held;
}

Bytes RankActivations::heldLayers() const
{
    Bytes held = 0;
    for (const Chunk& chunk : m_chunks)
        held += chunk.passes * layersKept(chunk.layers);
    return held;
}

/// Offloaded activations that are on the device: those of the layer that the backward pass is in, and of the
/// `offloadHorizon` layers before it.
Bytes RankActivations::layersBack(StepMoment moment) const
{
    const bool inHead = moment == StepMoment::Logits || moment == StepMoment::HeadWeights;
    const Bytes layers = static_cast<Bytes>(m_spec.memory.offloadHorizon) + (inHead ? 0 : 1);
    return layersKept(std::min(layers, m_chunks.back().layers));
}

Bytes RankActivations::waitingOnHost(StepMoment moment) const
{
    const bool none = moment == StepMoment::FirstLayers || moment == StepMoment::Update;
    return m_spec.memory.offloadActivations && !none ? heldLayers() - layersBack(moment) : 0;
}

Bytes RankActivations::activationsAt(StepMoment moment) const
{
    switch (moment) {
    case StepMoment::Logits:
        return inHead(m_head.ofLogits) - waitingOnHost(moment);
    case StepMoment::HeadWeights:
        return inHead(m_head.ofWeights) - waitingOnHost(moment);
    case StepMoment::FeedForward:
        return inLastLayer(m_backward.feedForward) - waitingOnHost(moment);
    case StepMoment::Attention:
        return inLastLayer(m_backward.attention) - waitingOnHost(moment);
    case StepMoment::FirstLayers:
        return inFirstLayers();
    case StepMoment::Update:
        return 0;
    }
    return 0;
}

Bytes RankActivations::inHead(const BackwardTensors& tensors) const
{
    return m_chunks.back().head ? heldInAll() + tensors.made - tensors.gone : heldInAll();
}

/// With full recomputation either the last layer, or the last one that is computed again. A stage without the
/// head holds the gradient that came from the next one.
Bytes RankActivations::inLastLayer(const BackwardTensors& tensors) const
{
    const bool head = m_chunks.back().head;
    const Bytes headGone = head ? m_head.kept + m_head.logits - (m_splits ? m_head.pending : 0) : 0;
    const Bytes received = !head && m_spec.model.norm == NormPlacement::Post ? m_tensors.hidden : 0;
    const Bytes here = heldInAll() - headGone + received + tensors.made - tensors.gone;
    if (m_spec.memory.recompute != RecomputeKind::Full)
        return here;
    const Bytes behind = behindLastRecomputed();
    const Bytes again = here - behind + recomputedAgain();
    return behind > 0 ? std::max(here, again) : again;
}

/// Where the stage is the whole model: elsewhere other micro-batches wait in it, and less than before.
Bytes RankActivations::inFirstLayers() const
{
    if (m_spec.layout.pipeline > 1)
        return 0;
    const bool again = m_spec.memory.recompute == RecomputeKind::Full;
    const Bytes kept = layersKept(std::min<Bytes>(2, m_chunks.back().layers));
    return embeddingsKept() + kept + (again ? recomputedAgain() : 0) + m_backward.feedForward.made -
           m_backward.feedForward.gone;
}

Bytes RankActivations::recomputedAgain() const
{
    return m_layer.whole() - m_layer.input + besideRecomputation(m_spec, m_tokens);
}

/// What is gone when the backward pass enters the last layer that is computed again.
Bytes RankActivations::behindLastRecomputed() const
{
    const Bytes last = m_chunks.back().layers - 1;
    return last % static_cast<Bytes>(m_spec.memory.recomputeEvery) * m_layer.whole();
}

/// Keys and values that go round the ring in the backward pass, with the block that comes and the one that
/// goes: of the values themselves and of their gradients, which are sums.
Bytes RankActivations::ringBlocks() const
{
    if (m_spec.layout.context == 1)
        return 0;
    const Bytes e = static_cast<Bytes>(elementSize(m_spec.precision.compute));
    const Bytes block = 2 * m_tensors.heads;
    return 2 * block / e * (e + wideSize(m_spec.precision.compute));
}

} // namespace trainyard
