#pragma once

#include <vector>

#include "engine/base/result.h"
#include "engine/planner/pipeline/pipeline_schedule.h"

namespace trainyard {

/// How sends and receives run.
enum class TransferMode {
    Overlapped, ///< both only start the transfer; a pass waits for what it receives
    Eager,      ///< a send returns at once, a receive waits where it stands
    Rendezvous, ///< both wait where they stand for the other and for the transfer
};

/// Durations of the actions on one stage, in any one unit.
struct StageCosts {
    double forward = 1;
    double backward = 2;
    double backwardInput = 1;
    double backwardWeight = 1;
    double reduceGradients = 0;
};

struct PipelineCosts {
    std::vector<StageCosts> stages; ///< index: PipelineShape::stageOf()
    double optimizerStep = 0;
    double transfer = 0; ///< from the start of a send until its tensor has arrived
};

PipelineCosts uniformCosts(const PipelineShape& shape, const StageCosts& stage = {});

struct TimedAction {
    PipelineAction action;
    double start = 0; ///< since the start of the optimizer step; waiting inside a transfer counts to it
    double end = 0;
};

/// When every action of a schedule starts and ends.
struct PipelineTimeline {
    std::vector<std::vector<TimedAction>> ranks; ///< in the order of the lists

    double duration() const; ///< until the last action of all ranks ends
    /// Share of all ranks' time in which they neither pass nor reduce nor step: the bubble.
    double bubbleShare() const;
};

/// Runs a schedule on paper. The optimizer step starts on all ranks together, when the last one has its
/// gradients. BadInput when no rank can go on (deadlock); the message says what each waits in. Whether that
/// happens does not depend on the durations: which send meets which receive is fixed, so every execution
/// waits for the same things. Otherwise requires complete lists in which no action stands before what it
/// needs, and costs for every stage.
Result<PipelineTimeline> simulate(const PipelineSchedule& schedule, const PipelineCosts& costs,
                                  TransferMode mode = TransferMode::Overlapped);

/// Per rank, the largest number of (micro-batch, chunk) pairs whose activations are held at once: from the
/// forward pass until the weight gradients are there. Divided by the chunks: in micro-batches of all the
/// rank's layers.
std::vector<int> peakInFlight(const PipelineSchedule& schedule);

} // namespace trainyard
