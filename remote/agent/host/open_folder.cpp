#include "remote/agent/host/open_folder.h"

#include <algorithm>
#include <cerrno>
#include <dirent.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace trainyard::agent {

namespace {

constexpr int kFolderFlags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

} // namespace

Result<OpenFolder> OpenFolder::open(const std::filesystem::path& path)
{
    FileDescriptor folder(::open(path.c_str(), kFolderFlags));
    if (!folder.valid())
        return systemError(ErrorKind::BadInput, "cannot open the folder " + path.string(), errno);
    return OpenFolder(std::move(folder));
}

std::optional<OpenFolder> OpenFolder::folder(const std::string& name) const
{
    if (!isPlainName(name))
        return std::nullopt;
    FileDescriptor inner(::openat(m_folder.get(), name.c_str(), kFolderFlags));
    return inner.valid() ? std::optional(OpenFolder(std::move(inner))) : std::nullopt;
}

std::vector<std::string> OpenFolder::names() const
{
    std::vector<std::string> names;
    // A descriptor of its own, for closedir() takes it along.
    DIR* stream = ::fdopendir(::openat(m_folder.get(), ".", kFolderFlags));
    if (!stream)
        return names;
    while (const dirent* entry = ::readdir(stream)) {
        if (isPlainName(entry->d_name))
            names.emplace_back(entry->d_name);
    }
    ::closedir(stream);
    std::sort(names.begin(), names.end());
    return names;
}

std::optional<struct stat> OpenFolder::info(const std::string& name) const
{
    struct stat info {};
    if (!isPlainName(name) || ::fstatat(m_folder.get(), name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0)
        return std::nullopt;
    return info;
}

bool OpenFolder::rename(const std::string& from, const std::string& to) const
{
    if (!isPlainName(from) || !isPlainName(to) || info(to))
        return false;
    return renameWithoutReplacing(m_folder.get(), from, to) == 0;
}

std::uint64_t OpenFolder::removeFile(const std::string& name) const
{
    const auto before = info(name);
    if (!before || ::unlinkat(m_folder.get(), name.c_str(), 0) != 0)
        return 0;
    return S_ISREG(before->st_mode) && before->st_nlink == 1 ? static_cast<std::uint64_t>(before->st_size)
                                                             : 0;
}

std::uint64_t OpenFolder::removeTree(const std::string& name) const
{
    const auto inner = folder(name);
    if (!inner)
        return removeFile(name);
    std::uint64_t freed = 0;
    for (const std::string& entry : inner->names())
        freed += inner->removeTree(entry);
    ::unlinkat(m_folder.get(), name.c_str(), AT_REMOVEDIR);
    return freed;
}

int renameWithoutReplacing(int folder, const std::string& from, const std::string& to)
{
    constexpr unsigned kNoReplace = 1; // RENAME_NOREPLACE
    if (::syscall(SYS_renameat2, folder, from.c_str(), folder, to.c_str(), kNoReplace) == 0)
        return 0;
    if (errno != EINVAL && errno != ENOSYS)
        return errno;
    // Some network file systems do not know the flag. A plain rename of a folder replaces only an empty
    // folder.
    return ::renameat(folder, from.c_str(), folder, to.c_str()) == 0 ? 0 : errno;
}

} // namespace trainyard::agent
