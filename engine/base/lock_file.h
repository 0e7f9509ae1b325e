#pragma once

#include <chrono>
#include <filesystem>
#include <optional>

#include "engine/base/file.h"
#include "engine/base/result.h"

namespace trainyard {

/// An exclusive lock on a file that ends with its holder, however the holder ends. Held by the open file, not
/// by the process, so a daemon may take it and threads do not share it by accident. Works over NFS.
class LockFile {
public:
    /// Nothing when somebody else holds it. The file is made when it is missing and stays; a holder may
    /// remove it before it lets go. Failed when the file cannot be made or its file system knows no locks.
    static Result<std::optional<LockFile>> tryAcquire(const std::filesystem::path& path);

    /// Waits for a holder who is about to let go; Failed when the lock is not free within `patience`.
    static Result<LockFile> acquire(const std::filesystem::path& path, std::chrono::milliseconds patience);

    /// Asks without taking, so that asking never disturbs a holder who is about to come.
    static bool isHeld(const std::filesystem::path& path);

private:
    explicit LockFile(FileDescriptor file) : m_file(std::move(file)) {}
    FileDescriptor m_file;
};

/// Takes the lock on an open file; false when somebody else holds it, Failed when the file system knows no
/// locks.
Result<bool> tryLock(int fd);

/// False when `path` names another file than `fd` by now, or none: its holder moved or removed it before the
/// lock was ours.
bool isStillNamed(int fd, const std::filesystem::path& path);

} // namespace trainyard
