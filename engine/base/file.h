#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "engine/base/result.h"

namespace trainyard {

/// Whole file as bytes. BadInput when it is missing or unreadable, naming the path.
Result<std::string> readFile(const std::filesystem::path& path);

/// Publishes content under its final name in one instant: temporary name in the same folder, fsync, rename,
/// fsync of the folder. On any error nothing is left behind and an older file of that name is untouched.
Status writeFileAtomically(const std::filesystem::path& path, std::string_view content);

/// Like writeFileAtomically(), but `write` fills the temporary path itself; the file is then synced and
/// renamed. Works for folders too: their files are synced first.
Status publishAtomically(const std::filesystem::path& path,
                         const std::function<Status(const std::filesystem::path& temporary)>& write);

/// fsync of one file or folder.
Status syncPath(const std::filesystem::path& path);
/// fsync of a file, or of a folder and everything in it, contents first.
Status syncTree(const std::filesystem::path& path);

/// ".tmp-<pid>-<random>": the suffix of an unfinished file's name. Random, because hosts that share a disk
/// can have equal process ids.
std::string temporarySuffix();

/// mkdir -p.
Status makeFolder(const std::filesystem::path& path);

/// Appends the whole buffer with write(2), restarting after EINTR and short writes.
Status writeAll(int fd, std::string_view bytes, const std::filesystem::path& nameForErrors);

/// True for one plain path component: not empty, no '/', no NUL, no control character, not "." or "..". Every
/// name from a peer must pass this before it becomes part of a path.
bool isPlainName(std::string_view name);

/// Owns a file descriptor; closes it in the destructor.
class FileDescriptor {
public:
    FileDescriptor() = default;
    explicit FileDescriptor(int fd) : m_fd(fd) {}
    FileDescriptor(FileDescriptor&& other) noexcept : m_fd(std::exchange(other.m_fd, -1)) {}
    FileDescriptor& operator=(FileDescriptor&& other) noexcept;
    ~FileDescriptor() { reset(); }

    int get() const { return m_fd; }
    bool valid() const { return m_fd >= 0; }
    int release() { return std::exchange(m_fd, -1); }
    void reset();

private:
    int m_fd = -1;
};

} // namespace trainyard
