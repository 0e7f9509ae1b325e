#include "engine/planner/pipeline/simulator.h"

#include <algorithm>

#include "engine/planner/pipeline/schedule_machine.h"

namespace trainyard {

namespace {

using Kind = PipelineActionKind;

int peakInFlight(const ActionList& list)
{
    int held = 0;
    int peak = 0;
    for (const PipelineAction& action : list) {
        if (action.kind == Kind::Forward)
            peak = std::max(peak, ++held);
        else if (action.kind == Kind::Backward || action.kind == Kind::BackwardWeight)
            --held;
    }
    return peak;
}

bool isTransfer(const TimedAction& timed)
{
    return isSend(timed.action.kind) || isReceive(timed.action.kind);
}

} // namespace

PipelineCosts uniformCosts(const PipelineShape& shape, const StageCosts& stage)
{
    return {std::vector<StageCosts>(static_cast<std::size_t>(shape.stages()), stage), 0, 0};
}

double PipelineTimeline::duration() const
{
    double last = 0;
    for (const auto& rank : ranks)
        last = rank.empty() ? last : std::max(last, rank.back().end);
    return last;
}

double PipelineTimeline::bubbleShare() const
{
    double busy = 0;
    for (const auto& rank : ranks) {
        for (const TimedAction& timed : rank)
            busy += isTransfer(timed) ? 0 : timed.end - timed.start;
    }
    const double all = duration() * static_cast<double>(ranks.size());
    return all > 0 ? 1 - busy / all : 0;
}

Result<PipelineTimeline> simulate(const PipelineSchedule& schedule, const PipelineCosts& costs,
                                  TransferMode mode)
{
    TRAINYARD_CHECK(costs.stages.size() == static_cast<std::size_t>(schedule.shape.stages()));
    return ScheduleMachine(schedule, costs, mode).run();
}

std::vector<int> peakInFlight(const PipelineSchedule& schedule)
{
    std::vector<int> peaks;
    for (const ActionList& list : schedule.ranks)
        peaks.push_back(peakInFlight(list));
    return peaks;
}

} // namespace trainyard
