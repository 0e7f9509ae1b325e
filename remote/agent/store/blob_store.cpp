#include "remote/agent/store/blob_store.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/base/file.h"
#include "engine/base/hash.h"

namespace trainyard::agent {

namespace {

constexpr time_t kSealedAt = 1; ///< seconds since 1970
constexpr timespec kSeal[] = {{0, UTIME_OMIT}, {kSealedAt, 0}};
constexpr timespec kUsedNow[] = {{0, UTIME_NOW}, {0, UTIME_OMIT}};

} // namespace

std::filesystem::path BlobStore::blob(const std::string& sha256) const
{
    return m_folder / sha256.substr(0, 2) / sha256;
}

std::filesystem::path BlobStore::partial(const std::string& sha256) const
{
    return blob(sha256) += ".part";
}

std::filesystem::path BlobStore::sums(const std::string& sha256) const
{
    return blob(sha256) += ".sums";
}

bool BlobStore::verifyOrRemove(const std::string& sha256) const
{
    const std::filesystem::path path = blob(sha256);
    std::error_code ignored;
    if (!std::filesystem::is_regular_file(std::filesystem::symlink_status(path, ignored)))
        return false;
    if (isSealed(path))
        return true;
    const auto found = sha256OfFile(path);
    if (!found.ok() || *found != sha256) {
        ::unlink(path.c_str());
        return false;
    }
    seal(path);
    return true;
}

void BlobStore::noteUse(const std::string& sha256) const
{
    ::utimensat(AT_FDCWD, blob(sha256).c_str(), kUsedNow, AT_SYMLINK_NOFOLLOW);
}

Status BlobStore::makeFolderFor(const std::string& sha256) const
{
    return makeFolder(blob(sha256).parent_path());
}

void seal(int fd)
{
    ::futimens(fd, kSeal);
}

void seal(const std::filesystem::path& path)
{
    ::utimensat(AT_FDCWD, path.c_str(), kSeal, AT_SYMLINK_NOFOLLOW);
}

bool isSealed(const std::filesystem::path& path)
{
    struct stat info {};
    return ::lstat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode) && info.st_mtim.tv_sec == kSealedAt &&
           info.st_mtim.tv_nsec == 0;
}

} // namespace trainyard::agent
