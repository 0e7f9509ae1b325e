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
