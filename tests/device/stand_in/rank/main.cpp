// One rank of a scenario, with what a worker has around its trainer: stand_in_rank SCENARIO RANK RANKS FOLDER
// SECONDS
#include <cstdio>
#include <cstdlib>

#include <fmt/format.h>

#include "engine/comm/process_group.h"
#include "engine/worker/final_event_writer.h"
#include "engine/worker/rank_device.h"
#include "engine/worker/rank_log.h"
#include "tests/device/stand_in/rank/folder_groups.h"
#include "tests/device/stand_in/rank/scenario.h"

using namespace trainyard;

namespace {

/// Processes start at different speeds; time limits run from here on.
void meet(FolderGroups& host)
{
    GroupDescription all{.number = 99, .members = {}};
    for (int rank = 0; rank < host.worldSize().value; ++rank)
        all.members.push_back(Rank{rank});
    host.make(all)->barrier();
}

} // namespace

int main(int argc, char** argv)
{
    if (argc != 6) {
        std::fputs("usage: stand_in_rank SCENARIO RANK RANKS FOLDER SECONDS\n", stderr);
        return 2;
    }
    const Rank rank{std::atoi(argv[2])};
    const std::filesystem::path folder = argv[4];
    const auto log = RankLog::redirect(folder / fmt::format("{}.log", rank.value), "stand-in rank").value();
    FinalEventWriter finalEventWriter(rank, log);
    FolderGroups host(folder, rank, WorldSize{std::atoi(argv[3])});
    const GpuPlugin plugin = GpuPlugin::open("0").value();
    meet(host);
    DeviceSession session(plugin, host, endOfRank(finalEventWriter),
                          std::chrono::seconds(std::atoi(argv[5])));
    const auto world = session.maker().makeWorld();
    if (!play(argv[1], {plugin, session, *world}))
        return 2;
    world->barrier();
    return 0;
}
