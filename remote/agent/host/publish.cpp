#include "remote/agent/host/publish.h"

#include <cerrno>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <fmt/format.h>

#include "engine/base/file.h"

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

/// 0 or an errno; never replaces anything.
int renameWithoutReplacing(const fs::path& from, const fs::path& to)
{
    constexpr unsigned kNoReplace = 1; // RENAME_NOREPLACE
    if (::syscall(SYS_renameat2, AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), kNoReplace) == 0)
        return 0;
    if (errno != EINVAL && errno != ENOSYS)
        return errno;
    // Some network file systems do not know the flag. A plain rename of a folder replaces only an empty
    // folder.
    return ::rename(from.c_str(), to.c_str()) == 0 ? 0 : errno;
}

Result<bool> fillAndRename(const fs::path& temporary, const fs::path& folder,
                           const std::function<Status(const fs::path&)>& fill)
{
    TRAINYARD_TRY_STATUS(makeFolder(temporary));
    TRAINYARD_TRY_STATUS(fill(temporary));
    // `fill` has synced the files. Their names must be on disk, too, before the folder gets its own: else a
    // crash could leave an incomplete folder under the final name.
    TRAINYARD_TRY_STATUS(syncFolders(temporary));
    const int error = renameWithoutReplacing(temporary, folder);
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
