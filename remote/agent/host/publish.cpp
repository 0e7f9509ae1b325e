#include "remote/agent/host/publish.h"

#include <cerrno>
#include <fcntl.h>
#include <unistd.h>

#include <fmt/format.h>

#include "engine/base/file.h"
#include "remote/agent/host/open_folder.h"

namespace trainyard::agent {

namespace fs = std::filesystem;

namespace {

fs::path temporaryBeside(const fs::path& folder)
{
    return folder.parent_path() / ("." + folder.filename().string() + temporarySuffix());
}

Status syncFolders(const fs::path& folder)
{
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(folder, error)) {
        if (entry.is_directory(error))
            TRAINYARD_TRY_STATUS(syncFolders(entry.path()));
    }
    return syncPath(folder);
}

Result<bool> fillAndRename(const fs::path& temporary, const fs::path& folder,
                           const std::function<Status(const fs::path&)>& fill)
{
    TRAINYARD_TRY_STATUS(makeFolder(temporary));
    TRAINYARD_TRY_STATUS(fill(temporary));
    // `fill` has synced the files. Their names must be on disk, too, before the folder gets its own: else a
    // crash could leave an incomplete folder under the final name.
    TRAINYARD_TRY_STATUS(syncFolders(temporary));
    const int error = renameWithoutReplacing(AT_FDCWD, temporary, folder);
    if (error == EEXIST || error == ENOTEMPTY)
        return false;
    if (error != 0)
        return systemError(ErrorKind::Failed, "cannot publish " + folder.string(), error);
    // Only now does the new name survive a crash.
    TRAINYARD_TRY_STATUS(syncPath(folder.parent_path()));
    return true;
}

} // namespace

Result<bool> publishFolder(const fs::path& folder, const std::function<Status(const fs::path&)>& fill)
{
    std::error_code ignored;
    if (fs::exists(fs::symlink_status(folder, ignored)))
        return false;
    const fs::path temporary = temporaryBeside(folder);
    Result<bool> published = fillAndRename(temporary, folder, fill);
    if (!published.ok() || !*published)
        fs::remove_all(temporary, ignored);
    return published;
}

} // namespace trainyard::agent
