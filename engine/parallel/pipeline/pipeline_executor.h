#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "engine/nn/parameters/pending_gradients.h"
#include "engine/nn/transformer_stage.h"
#include "engine/planner/pipeline/pipeline_schedule.h"
#include "engine/records/record.h"

namespace trainyard {

class GradientReducer;
class ParameterStore;
class PassTimes;
struct StageLinks;

/// The forward and backward passes of one optimizer step, or the forward passes of an evaluation.
struct StepPasses {
    std::span<const TokenBatch* const> microBatches; ///< of this rank's model replica; every stage has them
    std::optional<DropoutKey> dropout;               ///< nullopt: an evaluation
    std::int64_t globalTargets = 0; ///< losses are divided by the counts of the whole global batch
    std::int64_t globalSequences = 0;
    double lossScale = 1;       ///< gradients become so many times larger; PassSums do not
    PassTimes* times = nullptr; ///< notes the passes; null: nobody asks

    /// A micro-batch counts by its targets, as it does in the loss of words.
    double routerLossScale(const TokenBatch& batch) const
    {
        return lossScale * static_cast<double>(batch.targetCount()) /
               static_cast<double>(std::max<std::int64_t>(1, globalTargets));
    }
};

/// Sums over the micro-batches, 0 on ranks without the head.
struct PassSums {
    double tokens = 0;    ///< cross entropy over targets
    double sequences = 0; ///< over next-sentence labels
};

/// Does what a schedule says for one pipeline rank: passes, and transfers to its neighbours. Without
/// neighbours it also lets the reducer overlap with the last backward pass; with them the caller reduces
/// afterwards, unless gradients are sharded, and ReduceGradients and OptimizerStep in the list are left to
/// it. One thread; every rank runs
/// the list of the same schedule.
class PipelineExecutor {
public:
    struct Chunk {
        const TransformerStage* stage = nullptr;
        GradientReducer* reducer = nullptr;
        ParameterStore* parameters = nullptr;
    };

    /// `schedule` is one of makeSchedule(). What chunks and links point to outlives the executor.
    /// `enterPhase` is told what the rank is doing.
    PipelineExecutor(const PipelineSchedule& schedule, int rank, const StageLinks& links,
                     std::vector<Chunk> chunks, std::function<void(StepPhase)> enterPhase);

    /// Adds up gradients in the chunks' stores.
    PassSums run(const StepPasses& passes);
    /// The forward passes of the schedule and their transfers alone: no dropout, no graph, no gradients. The
    /// losses of each micro-batch with their correct predictions; none on ranks without the head. A rank runs
    /// ahead of the next one by all micro-batches at most, of which only what was sent is held.
    std::vector<LossSums> evaluate(std::span<const TokenBatch* const> microBatches);

private:
    /// A micro-batch on its way through a chunk.
    struct Passing {
        at::Tensor input;    ///< leaf that came from the stage before; undefined on the first stage
        at::Tensor output;   ///< hidden states, or the loss
        at::Tensor gradient; ///< of the output, from the stage after; undefined on the last stage
        bool isInputDone = false;
        PendingGradients pending{}; ///< then: of the weights
    };

    void start(const StepPasses& passes);
    void execute(const PipelineAction& action, const StepPasses& passes);
    void forward(const PipelineAction& action, const StepPasses& passes);
    void backward(const PipelineAction& action, const StepPasses& passes);
    void passBack(Passing& passing);
    void backwardInput(const PipelineAction& action, const StepPasses& passes);
    void sendActivation(const PipelineAction& action, const StepPasses& passes);
    void receiveActivation(const PipelineAction& action, const StepPasses& passes);
    void receiveGradient(const PipelineAction& action);
    PassSums sumLosses() const;
    Passing& at(const PipelineAction& action);
    bool hasNeighbours() const { return m_shape.ranks > 1; }
    bool reducesAfter(std::size_t chunk, std::size_t count) const;

    const PipelineShape m_shape;
    const ActionList m_actions;
    const StageLinks& m_links;
    const std::vector<Chunk> m_chunks;
    const std::function<void(StepPhase)> m_enterPhase;
    std::vector<Passing> m_passing; // by chunk and micro-batch
    std::vector<std::size_t> m_done; // by chunk: backward passes of this step
    std::vector<LossSums>
        m_losses; // of this step; read at its end, so that the host need not wait for a device
};

} // namespace trainyard
