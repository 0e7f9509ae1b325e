#include "engine/planner/pipeline/schedule_machine.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace trainyard {

namespace {

using Kind = PipelineActionKind;

std::size_t indexOf(int i)
{
    return static_cast<std::size_t>(i);
}

/// The receive whose tensor this pass needs.
std::optional<PipelineAction> inputOf(const PipelineShape& shape, int rank, const PipelineAction& pass)
{
    if (pass.kind == Kind::Forward && shape.hasPeerBefore(rank, pass.chunk))
        return PipelineAction{Kind::ReceiveActivation, pass.microBatch, pass.chunk};
    const bool needsGradient = pass.kind == Kind::Backward || pass.kind == Kind::BackwardInput;
    if (needsGradient && shape.hasPeerAfter(rank, pass.chunk))
        return PipelineAction{Kind::ReceiveGradient, pass.microBatch, pass.chunk};
    return std::nullopt;
}

} // namespace

ScheduleMachine::ScheduleMachine(const PipelineSchedule& schedule, const PipelineCosts& costs,
                                 TransferMode mode)
    : m_schedule(schedule)
    , m_costs(costs)
    , m_mode(mode)
    , m_timeline{std::vector<std::vector<TimedAction>>(schedule.ranks.size())}
    , m_arrivals(indexOf(2 * schedule.shape.stages() * schedule.shape.microBatches), -1.0)
{
    for (std::size_t rank = 0; rank < schedule.ranks.size(); ++rank)
        m_timeline.ranks[rank].reserve(schedule.ranks[rank].size());
}

Result<PipelineTimeline> ScheduleMachine::run()
{
    const int ranks = m_schedule.shape.ranks;
    // Each rank goes as far as it can, until none moves. The order in which they are asked does not matter:
    // every action waits for certain others, not for a time.
    //
    //   per rank:  next --- what it needs has come ---> done, the clock moves on ---> next ...
    //                |
    //                +--- not yet: asked again when another rank has moved; when none has: deadlock
    for (bool moved = true; moved;) {
        moved = false;
        for (int rank = 0; rank < ranks; ++rank) {
            while (advance(rank))
                moved = true;
        }
    }
    for (int rank = 0; rank < ranks; ++rank) {
        if (next(rank))
            return deadlock();
    }
    return std::move(m_timeline);
}

bool ScheduleMachine::advance(int rank)
{
    const PipelineAction* action = next(rank);
    if (!action)
        return false;
    if (isSend(action->kind))
        return m_mode == TransferMode::Rendezvous ? meet(rank, *action) : send(rank, *action);
    if (isReceive(action->kind))
        return receive(rank, *action);
    return action->kind == Kind::OptimizerStep ? step(rank, *action) : pass(rank, *action);
}

bool ScheduleMachine::send(int rank, const PipelineAction& action)
{
    const PipelineShape& shape = m_schedule.shape;
    arrival(peerOf(shape, rank, action), receiveFor(shape, rank, action)) = clock(rank) + m_costs.transfer;
    finish(rank, clock(rank), clock(rank));
    return true;
}

bool ScheduleMachine::meet(int rank, const PipelineAction& send)
{
    const int peer = peerOf(m_schedule.shape, rank, send);
    const PipelineAction* other = next(peer);
    if (!other || *other != receiveFor(m_schedule.shape, rank, send))
        return false;
    const double end = std::max(clock(rank), clock(peer)) + m_costs.transfer;
    finish(rank, clock(rank), end);
    finish(peer, clock(peer), end);
    return true;
}

bool ScheduleMachine::receive(int rank, const PipelineAction& action)
{
    if (m_mode == TransferMode::Rendezvous)
        return false; // the sender moves both
    const double arrived = arrival(rank, action);
    if (m_mode == TransferMode::Eager && arrived < 0)
        return false;
    finish(rank, clock(rank), m_mode == TransferMode::Eager ? std::max(clock(rank), arrived) : clock(rank));
    return true;
}

bool ScheduleMachine::pass(int rank, const PipelineAction& action)
{
    double start = clock(rank);
    if (const auto input = inputOf(m_schedule.shape, rank, action);
        input && m_mode == TransferMode::Overlapped) {
        if (arrival(rank, *input) < 0)
            return false;
        start = std::max(start, arrival(rank, *input));
    }
    finish(rank, start, start + durationOf(rank, action));
    return true;
}

bool ScheduleMachine::step(int rank, const PipelineAction& action)
{
    double start = 0;
    for (int other = 0; other < m_schedule.shape.ranks; ++other) {
        const PipelineAction* its = next(other);
        if (its && its->kind != Kind::OptimizerStep)
            return false;
        const auto& done = m_timeline.ranks[indexOf(other)];
        start = std::max(start, its ? clock(other) : done.back().start);
    }
    finish(rank, start, start + durationOf(rank, action));
    return true;
}

const PipelineAction* ScheduleMachine::next(int rank) const
{
    const ActionList& list = m_schedule.ranks[indexOf(rank)];
    const std::size_t done = m_timeline.ranks[indexOf(rank)].size();
    return done < list.size() ? &list[done] : nullptr;
}

double ScheduleMachine::clock(int rank) const
{
    const auto& done = m_timeline.ranks[indexOf(rank)];
    return done.empty() ? 0 : done.back().end;
}

void ScheduleMachine::finish(int rank, double start, double end)
{
    m_timeline.ranks[indexOf(rank)].push_back({*next(rank), start, end});
}

double ScheduleMachine::durationOf(int rank, const PipelineAction& action) const
{
    if (action.kind == Kind::OptimizerStep)
        return m_costs.optimizerStep;
    const StageCosts& stage = m_costs.stages[indexOf(m_schedule.shape.stageOf(rank, action.chunk))];
    switch (action.kind) {
    case Kind::Forward:
        return stage.forward;
    case Kind::Backward:
        return stage.backward;
    case Kind::BackwardInput:
        return stage.backwardInput;
    case Kind::BackwardWeight:
        return stage.backwardWeight;
    case Kind::ReduceGradients:
        return stage.reduceGradients;
    default:
        return 0;
    }
}

double& ScheduleMachine::arrival(int rank, const PipelineAction& receive)
{
    const PipelineShape& shape = m_schedule.shape;
    const int gradient = receive.kind == Kind::ReceiveGradient ? 1 : 0;
    const int stage = shape.stageOf(rank, receive.chunk);
    return m_arrivals[indexOf((gradient * shape.stages() + stage) * shape.microBatches + receive.microBatch)];
}

Error ScheduleMachine::deadlock() const
{
    std::vector<std::string> waits;
    for (int rank = 0; rank < m_schedule.shape.ranks; ++rank) {
        if (const PipelineAction* action = next(rank))
            waits.push_back(fmt::format("rank {} waits in {}", rank, toText(*action, m_schedule.shape)));
    }
    return badInput(fmt::format("deadlock: {}", fmt::join(waits, ", ")));
}

} // namespace trainyard
