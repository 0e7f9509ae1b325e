#include "engine/planner/pipeline/transfer_order.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "engine/planner/pipeline/simulator.h"

namespace trainyard {

namespace {

using Kind = PipelineActionKind;

/// Which transfer it is, the same on both ranks: the receiving rank and what it does.
using Message = std::pair<int, PipelineAction>;

Message messageOf(const PipelineShape& shape, int rank, const PipelineAction& transfer)
{
    if (isReceive(transfer.kind))
        return {rank, transfer};
    return {peerOf(shape, rank, transfer), receiveFor(shape, rank, transfer)};
}

void appendWithTransfers(const PipelineAction& action, const PipelineShape& shape, int rank, ActionList& list)
{
    const auto [kind, microBatch, chunk] = action;
    const bool forward = kind == Kind::Forward;
    const bool backward = kind == Kind::Backward || kind == Kind::BackwardInput;
    const bool before = (forward || backward) && shape.hasPeerBefore(rank, chunk);
    const bool after = (forward || backward) && shape.hasPeerAfter(rank, chunk);
    if (forward && before)
        list.push_back({Kind::ReceiveActivation, microBatch, chunk});
    if (backward && after)
        list.push_back({Kind::ReceiveGradient, microBatch, chunk});
    list.push_back(action);
    if (forward && after)
        list.push_back({Kind::SendActivation, microBatch, chunk});
    if (backward && before)
        list.push_back({Kind::SendGradient, microBatch, chunk});
}

/// When each message is sent.
std::map<Message, double> sendTimes(const PipelineShape& shape, const PipelineTimeline& timeline)
{
    std::map<Message, double> times;
    for (std::size_t rank = 0; rank < timeline.ranks.size(); ++rank) {
        for (const TimedAction& timed : timeline.ranks[rank]) {
            if (isSend(timed.action.kind))
                times[messageOf(shape, static_cast<int>(rank), timed.action)] = timed.start;
        }
    }
    return times;
}

/// An action with its place in the order that all ranks have in common: by time; at the same time transfers
/// first, in one order of messages.
struct PlacedAction {
    double time;
    bool isPass;
    Message message; ///< unused for a pass
    PipelineAction action;

    bool operator<(const PlacedAction& other) const
    {
        return std::tie(time, isPass, message) < std::tie(other.time, other.isPass, other.message);
    }
};

ActionList inCommonOrder(const PipelineShape& shape, int rank, const std::vector<TimedAction>& timed,
                         const std::map<Message, double>& times)
{
    std::vector<PlacedAction> placed;
    for (const auto& [action, start, end] : timed) {
        if (isSend(action.kind) || isReceive(action.kind)) {
            const Message message = messageOf(shape, rank, action);
            placed.push_back({times.at(message), false, message, action});
        } else {
            placed.push_back({start, true, {}, action});
        }
    }
    // Stable: passes of the same time, of no duration, keep the order in which they depend on each other.
    std::stable_sort(placed.begin(), placed.end());
    ActionList list;
    for (const PlacedAction& p : placed)
        list.push_back(p.action);
    return list;
}

} // namespace

PipelineSchedule withTransfers(const PipelineShape& shape, const std::vector<ActionList>& lists)
{
    // Two ranks that order their transfers each for itself can deadlock when sends block. One order for all,
    // that of simulated time, cannot: the earliest transfer never waits for a later one.
    const auto timeline =
        simulate(withNearestTransfers(shape, lists), uniformCosts(shape), TransferMode::Overlapped).value();
    const auto times = sendTimes(shape, timeline);
    PipelineSchedule schedule{shape, {}};
    for (int rank = 0; rank < shape.ranks; ++rank)
        schedule.ranks.push_back(
            inCommonOrder(shape, rank, timeline.ranks[static_cast<std::size_t>(rank)], times));
    return schedule;
}

PipelineSchedule withNearestTransfers(const PipelineShape& shape, const std::vector<ActionList>& lists)
{
    PipelineSchedule schedule{shape, std::vector<ActionList>(lists.size())};
    for (int rank = 0; rank < shape.ranks; ++rank) {
        const auto index = static_cast<std::size_t>(rank);
        for (const PipelineAction& action : lists[index])
            appendWithTransfers(action, shape, rank, schedule.ranks[index]);
    }
    return schedule;
}

} // namespace trainyard
