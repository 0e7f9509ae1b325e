#include "engine/base/locked_folder.h"

namespace trainyard {

namespace fs = std::filesystem;

namespace {

constexpr const char* kFolderLock = "lock";

} // namespace

Result<std::optional<LockFile>> lockFolder(const fs::path& folder)
{
    TRAINYARD_TRY_STATUS(makeFolder(folder));
    return LockFile::tryAcquire(folder / kFolderLock);
}

std::optional<LockFile> lockLeftFolder(const fs::path& folder)
{
    std::error_code ignored;
    if (!fs::exists(folder / kFolderLock, ignored))
        return std::nullopt;
    auto lock = LockFile::tryAcquire(folder / kFolderLock);
    return lock.ok() ? std::move(*lock) : std::nullopt;
}

std::vector<fs::path> folderEntries(const fs::path& folder)
{
    std::vector<fs::path> content;
    std::error_code problem;
    for (fs::directory_iterator entry(folder, problem), end; !problem && entry != end;
         entry.increment(problem)) {
        if (entry->path().filename() != kFolderLock)
            content.push_back(entry->path());
    }
    return content;
}

void removeLockedFolder(const fs::path& folder)
{
    std::error_code ignored;
    for (const fs::path& entry : folderEntries(folder))
        fs::remove_all(entry, ignored);
    fs::remove(folder / kFolderLock, ignored);
    fs::remove(folder, ignored);
}

} // namespace trainyard
