#include "remote/agent/host/confined.h"

#include <cerrno>
#include <fcntl.h>
#include <string>

namespace trainyard::agent {

namespace {

Error cannotOpen(const std::filesystem::path& folder, std::string_view relative, int errorNumber)
{
    const std::string path = (folder / relative).string();
    if (errorNumber == ELOOP || errorNumber == ENOTDIR)
        return badInput(path + " leads through a symbolic link or a file");
    return systemError(ErrorKind::BadInput, "cannot open " + path, errorNumber);
}

} // namespace

Result<FileDescriptor> openBeneath(const std::filesystem::path& folder, std::string_view relative)
{
    FileDescriptor at(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW));
    if (!at.valid())
        return cannotOpen(folder, {}, errno);
    std::string_view rest = relative;
    while (!rest.empty()) {
        const auto slash = rest.find('/');
        const std::string name(rest.substr(0, slash));
        if (!isPlainName(name))
            return badInput("the path \"" + std::string(relative) +
                            "\" is not a relative path of plain names");
        const int folderOnly = slash == std::string_view::npos ? 0 : O_DIRECTORY;
        // O_NONBLOCK: a FIFO that somebody put there must not hang us.
        at = FileDescriptor(
            ::openat(at.get(), name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | folderOnly));
        if (!at.valid())
            return cannotOpen(folder, relative, errno);
        rest = slash == std::string_view::npos ? std::string_view() : rest.substr(slash + 1);
    }
    return at;
}

} // namespace trainyard::agent
