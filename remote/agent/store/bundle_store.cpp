#include "remote/agent/store/bundle_store.h"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

#include "engine/base/file.h"
#include "remote/agent/host/publish.h"

namespace trainyard::agent {

namespace fs = std::filesystem;

Result<bool> BundleStore::assemble(const std::string& id, const std::vector<BundleFile>& files) const
{
    TRAINYARD_TRY(const std::string computed, bundleId(files));
    if (computed != id)
        return badInput("the bundle's id " + id.substr(0, 12) + " does not match its files, " +
                        computed.substr(0, 12));
    for (const BundleFile& file : files) {
        if (!m_blobs.verifyOrRemove(file.sha256))
            return refused("the blob of " + file.path + " is missing", "upload it first");
    }
    TRAINYARD_TRY_STATUS(makeFolder(m_folder));
    TRAINYARD_TRY(const bool created, publishFolder(folder(id), [&](const fs::path& temporary) {
                      return fill(temporary, files);
                  }));
    if (!created)
        TRAINYARD_TRY_STATUS(repair(folder(id), files));
    ::utimensat(AT_FDCWD, folder(id).c_str(), nullptr, 0); // when it was last needed, for the clean-up
    return created;
}

bool BundleStore::has(const std::string& id) const
{
    std::error_code ignored;
    return isSha256(id) && fs::is_directory(folder(id), ignored);
}

std::vector<std::string> BundleStore::ids() const
{
    std::vector<std::string> ids;
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(m_folder, ignored)) {
        if (const std::string name = entry.path().filename().string(); isSha256(name))
            ids.push_back(name);
    }
    std::sort(ids.begin(), ids.end());
    return ids;
}

Status BundleStore::fill(const fs::path& temporary, const std::vector<BundleFile>& files) const
{
    for (const BundleFile& file : files) {
        const fs::path target = temporary / file.path;
        TRAINYARD_TRY_STATUS(makeFolder(target.parent_path()));
        TRAINYARD_TRY_STATUS(place(target, file));
    }
    return {};
}

Status BundleStore::place(const fs::path& target, const BundleFile& file) const
{
    const fs::path blob = m_blobs.blob(file.sha256);
    // The mode belongs to the content, which all names of a blob share; that a data file of the very same
    // content becomes executable too does no harm.
    if (file.executable && ::chmod(blob.c_str(), 0555) != 0)
        return systemError(ErrorKind::Failed, "cannot make " + blob.string() + " executable", errno);
    if (::link(blob.c_str(), target.c_str()) == 0)
        return {};
    std::error_code error;
    fs::copy_file(blob, target, error); // a file system without hard links
    if (error)
        return failed("cannot place " + file.path + " in the bundle: " + error.message());
    seal(target);
    return syncPath(target);
}

/// What runs from the old file keeps it.
Status BundleStore::repair(const fs::path& folder, const std::vector<BundleFile>& files) const
{
    for (const BundleFile& file : files) {
        const fs::path target = folder / file.path;
        if (isIntact(target, file))
            continue;
        const fs::path temporary = fs::path(folder) += temporarySuffix();
        TRAINYARD_TRY_STATUS(makeFolder(target.parent_path()));
        TRAINYARD_TRY_STATUS(place(temporary, file));
        if (::rename(temporary.c_str(), target.c_str()) != 0)
            return systemError(ErrorKind::Failed, "cannot repair " + target.string(), errno);
        ::unlink(temporary.c_str()); // two names of one file are not renamed but left
        TRAINYARD_TRY_STATUS(syncPath(target.parent_path()));
    }
    return {};
}

/// The blob itself under another name, or a copy of it that nobody wrote to.
bool BundleStore::isIntact(const fs::path& target, const BundleFile& file) const
{
    struct stat placed {};
    struct stat blob {};
    if (::lstat(target.c_str(), &placed) != 0 || ::stat(m_blobs.blob(file.sha256).c_str(), &blob) != 0)
        return false;
    const bool same = placed.st_ino == blob.st_ino && placed.st_dev == blob.st_dev;
    return same || (isSealed(target) && placed.st_size == blob.st_size && placed.st_nlink == 1);
}

} // namespace trainyard::agent
