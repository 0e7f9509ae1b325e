#include "engine/training/replica_threads.h"

#include <vector>

#include "engine/comm/process_groups.h"
#include "engine/comm/threads_transport.h"
#include "engine/training/replica.h"

namespace trainyard {

Status runReplicasAsThreads(const RunSpec& spec, const SequenceShape& shape,
                            const std::function<Status(const ProcessGroups&, Replica&)>& body,
                            const Device& device)
{
    const auto runRank = [&](GroupMaker& maker) -> Status {
        const auto world = maker.makeWorld();
        TRAINYARD_TRY(const RankGrid grid, RankGrid::create(spec.layout));
        const ProcessGroups groups = makeProcessGroups(maker, *world, grid);
        TRAINYARD_TRY(const auto replica, Replica::create(spec, shape, groups, device));
        return body(groups, *replica);
    };
    std::vector<Status> statuses(static_cast<std::size_t>(spec.layout.worldSize()));
    runRanksAsThreads(spec.layout.worldSize(), [&](GroupMaker& maker) {
        statuses[static_cast<std::size_t>(maker.rank().value)] = runRank(maker);
    });
    for (const Status& status : statuses)
        TRAINYARD_TRY_STATUS(status);
    return {};
}

} // namespace trainyard
