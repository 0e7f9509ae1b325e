#pragma once

#include <cstdint>

#include "engine/base/ids.h"
#include "engine/base/result.h"
#include "engine/comm/process_groups.h"
#include "engine/parallel/data/gradient_reducer.h"
#include "engine/planner/learning_rate_schedule.h"
#include "engine/spec/run_spec.h"
#include "engine/training/data/step_loader.h"
#include "engine/training/phase_clock.h"
#include "engine/training/replica.h"
#include "engine/training/run_requests.h"

namespace trainyard {

/// Counts of one global batch: all ranks, all micro-batches.
struct GlobalCounts {
    std::int64_t maskedTokens = 0;
    std::int64_t sequences = 0;
    std::int64_t tokens = 0; ///< not counting padding
};

/// What one optimizer step did; the same on every rank.
struct StepOutcome {
    GlobalCounts counts;
    double mlmLoss = 0; ///< mean over the masked tokens of the global batch
    double nspLoss = 0; ///< mean over its sequences
    double gradientNorm = 0;
    double learningRate = 0;
    Requests requests; ///< made to any rank before the step's end
};

/// Failed when the loss or the gradient is not finite, with the value. The outcome is the same on every rank,
/// and so is the answer.
Status requireFinite(const StepOutcome& outcome, Step step);

/// One optimizer step over the whole data-parallel group:
///   - count masked tokens and sequences over all ranks, so that the loss is their exact mean;
///   - forward and backward of each micro-batch, the last one overlapped with the reduction of gradients;
///   - add up losses and requests over the ranks;
///   - unless loss or gradient is not finite (agreed: nobody steps, or all do), clip and update.
/// One thread; all ranks call run() with the same step.
class TrainingStep {
public:
    struct Parts {
        Replica& replica;
        const ProcessGroups& groups;
        GradientReducer& reducer;
        PhaseClock& clock;
    };

    TrainingStep(const RunSpec& spec, Parts parts);

    /// `input` may be this rank's error: then every rank gets it. The weights stay as they are when the
    /// outcome is not finite.
    Result<StepOutcome> run(Step step, Result<StepInput> input, const RunRequests& requests);

private:
    struct LossSums {
        double mlm = 0;
        double nsp = 0;
    };

    Result<GlobalCounts> agreeOnCounts(const Result<StepInput>& input);
    LossSums computeGradients(Step step, const StepInput& input, const GlobalCounts& counts);
    LossSums forwardBackward(Step step, const BertBatch& batch, const GlobalCounts& counts, bool reduces);
    StepOutcome reduceOutcome(const LossSums& sums, const GlobalCounts& counts, const Requests& requests);
    void update(Step step, StepOutcome& outcome);

    const RunSpec& m_spec;
    Parts m_parts;
    LearningRateSchedule m_schedule;
    std::vector<OptimizedTensor> m_tensors;
};

} // namespace trainyard
