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

/// One entry per rank: 1 where the rank sees the file.
std::vector<float> whoSees(ProcessGroup& group, const std::filesystem::path& file)
{
    std::vector<float> sees(static_cast<std::size_t>(group.size().value));
    std::error_code ignored;
    sees[static_cast<std::size_t>(group.rank().value)] = std::filesystem::exists(file, ignored) ? 1.0f : 0.0f;
    group.allReduce(std::span(sees));
    return sees;
}

} // namespace

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
    const std::vector<float> sees = whoSees(group, file);
    if (group.isFirst()) {
        std::error_code ignored;
        std::filesystem::remove(file, ignored);
    }
    const auto mine = sees.begin() + group.rank().value;
    FolderSharing sharing;
    sharing.count = static_cast<int>(std::accumulate(sees.begin(), sees.end(), 0.0f));
    if (*mine > 0)
        sharing.index = static_cast<int>(std::accumulate(sees.begin(), mine, 0.0f));
    return sharing;
}

} // namespace trainyard
