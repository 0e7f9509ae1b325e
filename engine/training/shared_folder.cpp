#include "engine/training/shared_folder.h"

#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

#include <fmt/format.h>

#include "engine/base/file.h"
#include "engine/comm/agreement.h"
#include "engine/comm/process_group.h"

namespace trainyard {

namespace {

std::string randomName()
{
    std::random_device device;
    return fmt::format(".shared-{:08x}{:08x}", device(), device());
}

/// Of all ranks, by rank.
std::vector<int> gatherNumbers(ProcessGroup& group, int mine)
{
    std::vector<double> numbers(static_cast<std::size_t>(group.size().value));
    numbers[static_cast<std::size_t>(group.rank().value)] = mine;
    group.allReduce(std::span(numbers));
    return {numbers.begin(), numbers.end()};
}

FolderStores storesFrom(const std::vector<int>& leaderOf)
{
    FolderStores stores;
    for (std::size_t rank = 0; rank < leaderOf.size(); ++rank) {
        if (leaderOf[rank] == static_cast<int>(rank))
            stores.leaders.push_back(leaderOf[rank]);
        const auto leader = std::ranges::find(stores.leaders, leaderOf[rank]);
        stores.storeOf.push_back(static_cast<int>(leader - stores.leaders.begin()));
    }
    return stores;
}

/// The lowest of the ranks that do not see rank 0's folder, but the same one as this rank.
int lowestRankHere(const std::filesystem::path& common, const std::vector<int>& seesAnother, int me)
{
    for (int rank = 1; rank < me; ++rank) {
        std::error_code ignored;
        if (seesAnother[static_cast<std::size_t>(rank)] &&
            std::filesystem::exists(fmt::format("{}-{}", common.string(), rank), ignored))
            return rank;
    }
    return me;
}

} // namespace

FolderSharing sharingAmong(ProcessGroup& group, bool takesPart)
{
    std::vector<double> flags(static_cast<std::size_t>(group.size().value));
    const auto mine = flags.begin() + group.rank().value;
    *mine = takesPart ? 1 : 0;
    group.allReduce(std::span(flags));
    FolderSharing sharing;
    sharing.count = static_cast<int>(std::accumulate(flags.begin(), flags.end(), 0.0));
    if (takesPart)
        sharing.index = static_cast<int>(std::accumulate(flags.begin(), mine, 0.0));
    return sharing;
}

Result<FolderStores> findFolderStores(ProcessGroup& group, const std::filesystem::path& folder,
                                      const FolderSharing& sharing, bool createsFolders)
{
    if (sharing.count == group.size().value)
        return FolderStores{{0}, std::vector<int>(static_cast<std::size_t>(sharing.count))};
    const int me = group.rank().value;
    const bool seesAnother = !sharing.takesPart();
    const auto common = folder / group.broadcastText(group.isFirst() ? randomName() : std::string());
    const std::filesystem::path mark = fmt::format("{}-{}", common.string(), me);
    Status placed = seesAnother && createsFolders ? makeFolder(folder) : Status();
    std::error_code ignored;
    if (seesAnother && placed.ok())
        placed =
            std::filesystem::exists(folder, ignored) ? writeFileAtomically(mark, "") : failed("no folder");
    const bool isMarked = seesAnother && placed.ok();
    const Status all = agree(group, createsFolders ? placed : Status()); // else nothing will be written there
    const std::vector<int> others = gatherNumbers(group, seesAnother ? 1 : 0);
    const int alone = seesAnother ? me : 0;
    const std::vector<int> leaderOf =
        gatherNumbers(group, isMarked ? lowestRankHere(common, others, me) : alone);
    if (isMarked) // all have looked
        std::filesystem::remove(mark, ignored);
    if (!all.ok())
        return all.error();
    return storesFrom(leaderOf);
}

Result<FolderSharing> findFolderSharing(ProcessGroup& group, const std::filesystem::path& folder)
{
    const auto file = folder / group.broadcastText(group.isFirst() ? randomName() : std::string());
    Status placed;
    if (group.isFirst()) {
        placed = makeFolder(folder);
        if (placed.ok())
            placed = writeFileAtomically(file, "");
    }
    TRAINYARD_TRY_STATUS(agree(group, placed));
    std::error_code ignored;
    const FolderSharing sharing = sharingAmong(group, std::filesystem::exists(file, ignored));
    if (group.isFirst())
        std::filesystem::remove(file, ignored);
    return sharing;
}

} // namespace trainyard
