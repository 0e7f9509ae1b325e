#include "app/monitor/model/pipeline_timelines.h"

#include <algorithm>

#include <QObject>

#include "app/base/display_text.h"
#include "app/plan/heterogeneous_step_time.h"
#include "app/runs/recorded_run.h"

namespace trainyard {

namespace {

constexpr int kMaxPasses = 20'000; ///< of the planned step: more are not told apart in a picture

PipelineActionKind kindOf(TracedWork work)
{
    switch (work) {
    case TracedWork::Forward:
        return PipelineActionKind::Forward;
    case TracedWork::Backward:
        return PipelineActionKind::Backward;
    case TracedWork::BackwardInput:
        return PipelineActionKind::BackwardInput;
    case TracedWork::BackwardWeight:
        return PipelineActionKind::BackwardWeight;
    case TracedWork::Reduce:
        return PipelineActionKind::ReduceGradients;
    case TracedWork::Optimizer:
        break;
    }
    return PipelineActionKind::OptimizerStep;
}

} // namespace

std::optional<StepTimeline> measuredTimeline(const PipelineTrace& trace)
{
    StepTimeline step;
    step.shape = {int(trace.ranks.size()), trace.chunks, trace.microBatches};
    step.microBatches = trace.microBatches;
    for (const auto& spans : trace.ranks) {
        if (spans.empty())
            return std::nullopt;
        auto& actions = step.played.ranks.emplace_back();
        for (const TracedSpan& span : spans)
            actions.push_back({{kindOf(span.work), span.microBatch, span.chunk}, span.start, span.end});
    }
    return step.played.ranks.empty() ? std::nullopt : std::optional(std::move(step));
}

Result<StepTimeline> plannedTimeline(const RunFacts& facts, const Result<PlannedRun>& plan)
{
    if (!plan.ok())
        return plan.error();
    if (!plan->time.ok())
        return plan->time.error();
    if (!plan->hasTime())
        return badInput("this run has no planned step time",
                        "choose the hardware of its nodes in the tab Plan");
    const SequenceShape shape{facts.dataSet->sequenceLength, facts.dataSet->maxPredictions};
    TRAINYARD_TRY(const PipelineCosts costs, stepCostsOn(**plan->time, *facts.specNow(), shape));
    return playStep(*facts.specNow(), costs, kMaxPasses);
}

bool splitsBackward(const StepTimeline& timeline)
{
    return std::ranges::any_of(timeline.played.ranks.front(), [](const TimedAction& timed) {
        return timed.action.kind == PipelineActionKind::BackwardWeight;
    });
}

QString timelineSummary(const StepTimeline& timeline)
{
    return QObject::tr("passes and update %1  ·  waiting %2 of the ranks' time")
        .arg(displaySeconds(timeline.played.duration()), displayPercent(timeline.played.bubbleShare()));
}

} // namespace trainyard
