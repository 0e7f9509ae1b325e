#include "tests/support/schedule/schedule_check.h"

#include <map>
#include <utility>

#include <fmt/format.h>

#include "engine/planner/pipeline/simulator.h"
#include "tests/support/schedule/rank_check.h"

namespace trainyard {

namespace {

/// Sender and receiver.
using Channel = std::pair<int, int>;

Status checkShape(const PipelineSchedule& schedule)
{
    const PipelineShape& shape = schedule.shape;
    if (shape.ranks < 1 || shape.chunks < 1 || shape.microBatches < 1)
        return badInput("a pipeline needs at least one rank, one chunk and one micro-batch");
    if (schedule.ranks.size() != static_cast<std::size_t>(shape.ranks))
        return badInput(
            fmt::format("there are {} lists for {} pipeline ranks", schedule.ranks.size(), shape.ranks));
    return {};
}

/// The receives of each channel: those that the sends ask for, and those that are there.
struct Receives {
    std::map<Channel, ActionList> askedFor;
    std::map<Channel, ActionList> there;
};

Receives receivesOf(const PipelineSchedule& schedule)
{
    Receives receives;
    const PipelineShape& shape = schedule.shape;
    for (int rank = 0; rank < shape.ranks; ++rank) {
        for (const PipelineAction& action : schedule.ranks[static_cast<std::size_t>(rank)]) {
            if (isSend(action.kind))
                receives.askedFor[{rank, peerOf(shape, rank, action)}].push_back(
                    receiveFor(shape, rank, action));
            else if (isReceive(action.kind))
                receives.there[{peerOf(shape, rank, action), rank}].push_back(action);
        }
    }
    return receives;
}

/// Requires complete lists, so that there are as many receives as sends.
Status checkMessageOrder(const PipelineSchedule& schedule)
{
    const Receives receives = receivesOf(schedule);
    for (const auto& [channel, askedFor] : receives.askedFor) {
        const ActionList& there = receives.there.at(channel);
        for (std::size_t i = 0; i < askedFor.size(); ++i) {
            if (askedFor[i] != there[i])
                return badInput(fmt::format("rank {}: {} is next, but rank {} sends for {}", channel.second,
                                            toText(there[i], schedule.shape), channel.first,
                                            toText(askedFor[i], schedule.shape)));
        }
    }
    return {};
}

Status checkProgress(const PipelineSchedule& schedule)
{
    for (const auto& [mode, name] :
         {std::pair{TransferMode::Eager, "eager"}, {TransferMode::Rendezvous, "rendezvous"}}) {
        const auto timeline = simulate(schedule, uniformCosts(schedule.shape), mode);
        if (!timeline.ok())
            return timeline.error().in(fmt::format("with {} sends", name));
    }
    return {};
}

} // namespace

Status checkSchedule(const PipelineSchedule& schedule)
{
    TRAINYARD_TRY_STATUS(checkShape(schedule));
    for (int rank = 0; rank < schedule.shape.ranks; ++rank)
        TRAINYARD_TRY_STATUS(checkRank(schedule.shape, rank, schedule.ranks[static_cast<std::size_t>(rank)]));
    TRAINYARD_TRY_STATUS(checkMessageOrder(schedule));
    return checkProgress(schedule);
}

} // namespace trainyard
