#include "engine/checkpoint/format/store_folder.h"

#include <cerrno>
#include <cstdio>

#include <fmt/format.h>

#include "engine/base/file.h"
#include "engine/checkpoint/format/checkpoint_folder.h"
#include "engine/checkpoint/format/checkpoint_health.h"
#include "engine/checkpoint/format/prepare_start.h"

namespace trainyard {

namespace fs = std::filesystem;

Status finishPublications(const fs::path& checkpoints, const std::vector<CheckpointName>& names)
{
    for (const CheckpointName& name : names)
        TRAINYARD_TRY_STATUS(publishFolder(checkpoints / fmt::format(".{}.partial", name.text()),
                                           checkpoints / name.text()));
    return {};
}

Status keepManifest(const fs::path& checkpoints, const CheckpointName& name, const std::string& manifest,
                    const Fence& fence)
{
    const fs::path folder = checkpoints / name.text();
    TRAINYARD_TRY_STATUS(makeFolder(checkpoints));
    if (std::error_code ignored; fs::exists(folder, ignored)) {
        if (examineIndex(folder).state != CheckpointState::Damaged)
            return {};
        TRAINYARD_TRY_STATUS(setAside(folder, fence));
    }
    return publishAtomically(folder, [&manifest](const fs::path& temporary) -> Status {
        TRAINYARD_TRY_STATUS(makeFolder(temporary));
        return writeFileAtomically(temporary / kManifestName, manifest);
    });
}

Status followHead(const fs::path& checkpoints, const std::vector<LineSwitch::Rename>& renames,
                  const LineRecord& record, const Fence& fence)
{
    std::error_code ignored;
    if (!fs::exists(checkpoints, ignored))
        return {};
    TRAINYARD_TRY_STATUS(fence.check());
    for (const LineSwitch::Rename& rename : renames) {
        const fs::path from = checkpoints / rename.from.text();
        const fs::path to = checkpoints / rename.to.text();
        if (fs::exists(to, ignored)) // one without a manifest: others have been renamed before
            TRAINYARD_TRY_STATUS(setAside(to, fence));
        if (::rename(from.c_str(), to.c_str()) != 0)
            return systemError(ErrorKind::Failed,
                               fmt::format("cannot rename {} to {}", from.string(), rename.to.text()), errno);
    }
    TRAINYARD_TRY_STATUS(syncPath(checkpoints));
    if (!record.latest.empty())
        TRAINYARD_TRY_STATUS(writeFileAtomically(checkpoints / kLatestName, record.latest + "\n"));
    return record.save(checkpoints);
}

} // namespace trainyard
