#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>

#include "engine/base/result.h"

namespace trainyard::agent {

/// A lock for file systems that know none (some NFS mounts, Lustre without flock): numbered files beside what
/// they guard, <path>.1, <path>.2, ..., each of which names who claims it. Whoever wants it sees that every
/// claim is a dead one's, adds the next number, and has it if nobody else's claim came meanwhile; of two who
/// do that at once each sees the other's, so never both have it. It says less than a real lock: an owner is
/// taken for dead when it is a process of this machine's present boot that is gone, or when it has not
/// refreshed its file for kLease, by the file system's own clock; and a folder must show what was added to
/// it. So what it guards must also be checked in another way. One thread at a time.
class OwnerFile {
public:
    static constexpr std::chrono::seconds kLease{60};

    /// Nothing when a living owner has it, or another one came in between. The dead ones' files are removed.
    static Result<std::optional<OwnerFile>> tryAcquire(const std::filesystem::path& path);
    OwnerFile(OwnerFile&& other) noexcept;
    OwnerFile& operator=(OwnerFile&& other) = delete;
    /// Removes our file.
    ~OwnerFile();

    /// Extends the lease; call it as often as you like.
    void refresh();

private:
    OwnerFile(std::filesystem::path path, std::string content);

    std::filesystem::path m_path;
    std::string m_content; ///< empty = moved from
    std::chrono::steady_clock::time_point m_refreshed;
};

} // namespace trainyard::agent
