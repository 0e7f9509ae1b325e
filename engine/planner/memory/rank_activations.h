#pragma once

#include <vector>

#include "engine/base/processor.h"
#include "engine/planner/layout/shape.h"
#include "engine/planner/memory/backward_tensors.h"
#include "engine/planner/memory/layer_activations.h"
#include "engine/planner/memory/layer_tensors.h"
#include "engine/planner/memory/rank_states.h"
#include "engine/records/record.h"

namespace trainyard {

/// Memory of a step's passes on a pipeline rank, at each moment that may be the peak: activations, those of
/// them that wait in host memory, and the blocks of ring attention.
class RankActivations {
public:
    /// `layerCounts`: of each stage. `spec` outlives this object.
    RankActivations(const RunSpec& spec, const SequenceShape& shape, const std::vector<int>& layerCounts,
                    int pipelineRank, NarrowProducts products = NarrowProducts::Native);

    MemoryByCategory at(StepMoment moment) const;

private:
    struct Chunk {
        Bytes layers = 0;
        Bytes passes = 0; ///< held at once
        bool embeddings = false;
        bool head = false;
    };

    Bytes layersKept(Bytes layers) const { return keptActivations(m_spec, m_layer, layers); }
    Bytes embeddingsKept() const;
    Bytes keptOf(const Chunk& chunk) const;
    Bytes pendingOf(const Chunk& chunk) const;
    Bytes heldInAll() const;
    Bytes heldLayers() const;
    Bytes layersBack(StepMoment moment) const;
    Bytes waitingOnHost(StepMoment moment) const;
    Bytes activationsAt(StepMoment moment) const;
    Bytes inHead(const BackwardTensors& tensors) const;
    Bytes inLastLayer(const BackwardTensors& tensors) const;
    Bytes inFirstLayers() const;
    Bytes recomputedAgain() const;
    Bytes behindLastRecomputed() const;
    Bytes ringBlocks() const;

    const RunSpec& m_spec;
    const Bytes m_tokens; ///< of each sequence
    const LayerTensors m_tensors;
    const LayerActivations m_layer;
    const LayerBackward m_backward;
    const HeadActivations m_head;
    const bool m_splits;   ///< gradients of weights wait until those of the inputs have gone on (zero-bubble)
    const Bytes m_pending; ///< micro-batches whose gradients of weights do
    std::vector<Chunk> m_chunks;
};

} // namespace trainyard
