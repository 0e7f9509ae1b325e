#include "remote/agent/store/placed_files.h"

#include <cerrno>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/base/file.h"
#include "remote/agent/host/publish.h"

namespace trainyard::agent {

namespace fs = std::filesystem;

namespace {

Status place(const BlobStore& blobs, const fs::path& target, const BundleFile& file)
{
    const fs::path blob = blobs.blob(file.sha256);
    // The mode belongs to the content, which all names of a blob share; that a data file of the very same
    // content becomes executable too does no harm.
    if (file.executable && ::chmod(blob.c_str(), 0555) != 0)
        return systemError(ErrorKind::Failed, "cannot make " + blob.string() + " executable", errno);
    if (::link(blob.c_str(), target.c_str()) == 0)
        return {};
    std::error_code error;
    fs::copy_file(blob, target, error); // a file system without hard links
    if (error)
        return failed("cannot place " + file.path + ": " + error.message());
    seal(target);
    return syncPath(target);
}

Status fill(const BlobStore& blobs, const fs::path& temporary, const std::vector<BundleFile>& files)
{
    for (const BundleFile& file : files) {
        const fs::path target = temporary / file.path;
        TRAINYARD_TRY_STATUS(makeFolder(target.parent_path()));
        TRAINYARD_TRY_STATUS(place(blobs, target, file));
    }
    return {};
}

/// The blob itself under another name, or a copy of it that nobody wrote to.
bool isIntact(const BlobStore& blobs, const fs::path& target, const BundleFile& file)
{
    struct stat placed {};
    struct stat blob {};
    if (::lstat(target.c_str(), &placed) != 0 || ::stat(blobs.blob(file.sha256).c_str(), &blob) != 0)
        return false;
    const bool same = placed.st_ino == blob.st_ino && placed.st_dev == blob.st_dev;
    return same || (isSealed(target) && placed.st_size == blob.st_size && placed.st_nlink == 1);
}

/// What runs from the old file keeps it.
Status repair(const BlobStore& blobs, const fs::path& folder, const std::vector<BundleFile>& files)
{
    for (const BundleFile& file : files) {
        const fs::path target = folder / file.path;
        if (isIntact(blobs, target, file))
            continue;
        const fs::path temporary = fs::path(folder) += temporarySuffix();
        TRAINYARD_TRY_STATUS(makeFolder(target.parent_path()));
        TRAINYARD_TRY_STATUS(place(blobs, temporary, file));
        if (::rename(temporary.c_str(), target.c_str()) != 0)
            return systemError(ErrorKind::Failed, "cannot repair " + target.string(), errno);
        ::unlink(temporary.c_str()); // two names of one file are not renamed but left
        TRAINYARD_TRY_STATUS(syncPath(target.parent_path()));
    }
    return {};
}

} // namespace

Result<bool> placeFiles(const BlobStore& blobs, const fs::path& folder, const std::vector<BundleFile>& files)
{
    for (const BundleFile& file : files) {
        if (!blobs.verifyOrRemove(file.sha256))
            return refused("the blob of " + file.path + " is missing", "upload it first");
    }
    TRAINYARD_TRY_STATUS(makeFolder(folder.parent_path()));
    TRAINYARD_TRY(const bool created, publishFolder(folder, [&](const fs::path& temporary) {
                      return fill(blobs, temporary, files);
                  }));
    if (!created)
        TRAINYARD_TRY_STATUS(repair(blobs, folder, files));
    return created;
}

} // namespace trainyard::agent
