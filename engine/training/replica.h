#pragma once

#include <memory>
#include <vector>

#include "engine/checkpoint/training_state.h"
#include "engine/nn/transformer_stage.h"
#include "engine/optim/optimizer.h"
#include "engine/parallel/data/gradient_reducer.h"
#include "engine/parallel/pipeline/tied_weights.h"
#include "engine/planner/layout/shape.h"
#include "engine/spec/run_spec.h"

namespace trainyard {

class ContextParallel;
class ParameterStore;
class PartGatherer;
struct ProcessGroups;

/// This rank's place in the group.
Share shareIn(const ProcessGroup& group);

/// Which weights owners bring to the other ranks.
enum class SharedWeights {
    All,
    Trained, ///< an update changes no others
};

/// One pipeline stage of this rank: parameters, gradients, optimizer and the collectives between them.
/// Initialised from the seed; its memory is counted as weights, gradients, optimizer state and offloaded host
/// memory.
class ModelChunk {
public:
    ModelChunk(const RunSpec& spec, const StageRange& range, const ProcessGroups& groups,
               const Device& device);
    ~ModelChunk();
    ModelChunk(const ModelChunk&) = delete;
    ModelChunk& operator=(const ModelChunk&) = delete;

    ParameterStore& parameters() { return *m_parameters; }
    const TransformerStage& stage() const { return *m_stage; }
    GradientReducer& reducer() { return *m_reducer; }
    ExpertTally& expertTally() { return *m_tally; }
    Optimizer& optimizer() { return *m_optimizer; }
    TrainingState& state() { return *m_state; }
    const TrainingState& state() const { return *m_state; }
    /// Returns the squared gradient norm over all ranks' chunks of this number. All ranks call it.
    double squaredGradientNorm() const;
    /// Updates the weights that this rank owns. All ranks call it.
    void update(double learningRate, double gradientScale);
    /// Brings the owners' new weights to every rank, before its next pass. All ranks call it.
    void shareWeights(const Holders& holders, SharedWeights which);

private:
    std::unique_ptr<ParameterStore> m_parameters;
    std::unique_ptr<PartGatherer> m_gatherer;            // null unless weights are sharded
    std::vector<std::unique_ptr<LayerRunner>> m_runners; // each wraps the one before it
    std::unique_ptr<const ContextParallel> m_context;    // null unless sequences are shared
    std::unique_ptr<ExpertTally> m_tally;
    std::unique_ptr<const TransformerStage> m_stage;
    LogicalSums m_sums;
    const UpdateKernels& m_kernels;
    std::vector<OptimizedTensor> m_tensors;
    std::unique_ptr<Optimizer> m_optimizer;
    std::unique_ptr<TrainingState> m_state;
    std::unique_ptr<GradientReducer> m_reducer;
};

/// This rank's part of the model: one chunk, or with an interleaved pipeline several.
class Replica {
public:
    /// Creates it on `device` for rows of `shape`. Refused when the layers cannot be divided among the
    /// stages.
    static Result<std::unique_ptr<Replica>> create(const RunSpec& spec, const SequenceShape& shape,
                                                   const ProcessGroups& groups, const Device& device = {});

    const std::vector<std::unique_ptr<ModelChunk>>& chunks() const { return m_chunks; }
    const Holders& holders() const { return m_holders; }

    void beginGradients();
    /// Call after the passes of a pipeline: adds the gradients up over tied weights and data-parallel ranks.
    void reduceGradients();
    double gradientNorm() const; ///< of the whole model. All ranks call it.
    /// Updates the whole model; afterwards every rank has the new weights.
    void update(double learningRate, double gradientScale);
    /// Call after loading: brings every owner's weights to every rank.
    void shareWeights();
    /// Everything that training changes becomes that of rank 0 of `group`, which has loaded it. Requires that
    /// every rank holds the whole model. All ranks call it.
    void takeFromFirst(ProcessGroup& group);

private:
    Replica(std::vector<std::unique_ptr<ModelChunk>> chunks, const RunSpec& spec,
            const ProcessGroups& groups);

    std::vector<std::unique_ptr<ModelChunk>> m_chunks;
    TiedWeights m_tied;
    Holders m_holders;
};

} // namespace trainyard
