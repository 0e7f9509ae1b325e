#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "engine/base/ids.h"
#include "engine/base/result.h"
#include "engine/comm/phase_clock.h"
#include "engine/comm/process_groups.h"
#include "engine/optim/loss_scaler.h"
#include "engine/parallel/pipeline/pass_times.h"
#include "engine/parallel/pipeline/pipeline_executor.h"
#include "engine/planner/learning_rate_schedule.h"
#include "engine/spec/run_spec.h"
#include "engine/training/data/step_loader.h"
#include "engine/training/replica.h"
#include "engine/training/run_requests.h"

namespace trainyard {

/// Counts of one global batch: all ranks, all micro-batches.
struct GlobalCounts {
    std::int64_t targets = 0; ///< tokens to be predicted
    std::int64_t sequences = 0;
    std::int64_t tokens = 0; ///< not counting padding
};

/// The result of one optimizer step; the same on every rank.
struct StepOutcome {
    GlobalCounts counts;
    double tokenLoss = 0;    ///< mean over the targets of the global batch: masked or next tokens
    double sequenceLoss = 0; ///< mean over its sequences; 0 without next-sentence head
    double gradientNorm = 0; ///< before clipping, without the loss scale
    double learningRate = 0; ///< of this update or, if skipped, of the next one
    double lossScale = 1;
    bool skipped = false; ///< gradients overflowed on some rank, so no rank updated its weights
    Requests requests;    ///< received by any rank before the step's end
};

/// Failed, with the value, when the loss is not finite or, unless the step was skipped, the gradient norm is
/// not. All ranks have the same outcome and return the same.
Status requireFinite(const StepOutcome& outcome, Step step);

/// One optimizer step over all ranks:
///   - count targets and sequences over all ranks, so that the loss is their exact mean;
///   - forward and backward of each micro-batch in the order of the pipeline's schedule; without a
///     pipeline, the last backward pass overlaps with the reduction of gradients;
///   - add up losses, requests and overflows over the ranks;
///   - unless loss or gradient is not finite (agreed: all ranks update, or none), clip and update;
///   - float16: gradients that overflow on any rank skip the update everywhere. A skipped step consumes its
///     samples and has its number, but advances neither the optimizer's step count nor the learning rate.
/// One thread; all ranks call run() with the same step.
class TrainingStep {
public:
    struct Parts {
        Replica& replica;
        const ProcessGroups& groups;
        PhaseClock& clock;
        Device device{};
    };

    /// `carried`: the loss scale of the step before, if there is one. `updatesBefore`: updates of the run
    /// before the first step that the learning-rate schedule counts.
    TrainingStep(const RunSpec& spec, Parts parts, const LossScaleState& carried = {},
                 std::int64_t updatesBefore = 0);

    /// `input` may be this rank's error: then all ranks return it. `poll` is called late in the step, so that
    /// requests made during it still count. The weights are unchanged if the outcome is not finite. `times`
    /// records the passes from the agreement on the counts on; null = not recorded.
    Result<StepOutcome> run(Step step, Result<StepInput> input, const std::function<Requests()>& poll,
                            PassTimes* times = nullptr);
    /// The losses and correct predictions of this rank's micro-batches with the weights as they are: none on
    /// ranks without the head. As many micro-batches as a step has. Touches nothing that a step depends on:
    /// no gradients, and no random state, of which there is none.
    std::vector<LossSums> evaluate(const std::vector<MicroBatch>& microBatches);
    /// The state after the last run(); the same on every rank.
    const LossScaleState& lossScale() const { return m_scaler.state(); }

private:
    Result<GlobalCounts> agreeOnCounts(const Result<StepInput>& input);
    std::vector<TokenBatch> batchesHere(const std::vector<MicroBatch>& microBatches) const;
    PassSums computeGradients(Step step, const StepInput& input, const GlobalCounts& counts,
                              PassTimes* times);
    PipelineExecutor executorFor(int microBatches) const;
    PipelineExecutor& executorOf(const StepInput& input);
    StepOutcome reduceOutcome(const PassSums& sums, const GlobalCounts& counts, const Requests& requests,
                              double gradientNorm);

    const RunSpec& m_spec;
    Parts m_parts;
    LearningRateSchedule m_schedule;
    const std::int64_t m_updatesBefore;
    LossScaler m_scaler;
    PipelineExecutor m_executor;
    /// Of a step with fewer micro-batches, while the batch grows.
    struct SmallerStep {
        int microBatches;
        PipelineExecutor executor;
    };
    std::optional<SmallerStep> m_smaller;
};

} // namespace trainyard
