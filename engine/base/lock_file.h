#pragma once

#include <chrono>
#include <filesystem>
#include <optional>

#include "engine/base/file.h"
#include "engine/base/result.h"

namespace trainyard {

/// An exclusive file lock that is released when its holder ends, however it ends. Held by the open file, not
/// by the process, so a daemon may take it and threads do not share it by accident. Works over NFS.
class LockFile {
public:
    /// Returns nullopt when another holder has it. Creates a missing file and leaves it; a holder may remove
    /// it before releasing. Failed when the file cannot be created or its file system does not support locks.
    static Result<std::optional<LockFile>> tryAcquire(const std::filesystem::path& path);

    /// Waits for a holder that is about to release it; Failed when the lock is not free within `patience`.
    static Result<LockFile> acquire(const std::filesystem::path& path, std::chrono::milliseconds patience);

    /// Checks without taking the lock, so it never disturbs a process that is about to take it.
    static bool isHeld(const std::filesystem::path& path);

private:
    explicit LockFile(FileDescriptor file) : m_file(std::move(file)) {}
    FileDescriptor m_file;
};

/// Takes the lock on an open file; false when another holder has it, Failed when the file system does not
/// support locks.
Result<bool> tryLock(int fd);

/// Returns false when `path` no longer names the file of `fd`: its holder moved or removed it before we got
/// the lock.
bool isStillNamed(int fd, const std::filesystem::path& path);

} // namespace trainyard
