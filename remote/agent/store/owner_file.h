#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>

#include "engine/base/result.h"

namespace trainyard::agent {

/// A lock for file systems without locks (some NFS mounts, Lustre without flock): numbered files next to the
/// guarded one, <path>.1, <path>.2, ..., each naming its claimant. To acquire it, a process checks that all
/// earlier claimants are dead, adds the next number, and owns the lock if no other claim appeared meanwhile;
/// two simultaneous claimants see each other, so at most one owns it. It guarantees less than a real lock: an
/// owner counts as dead when it is a process of this machine's present boot that is gone, or has not
/// refreshed its file for kLease by the file system's own clock; and the folder must show new files. So the
/// guarded file must also be checked in another way. One thread at a time.
class OwnerFile {
public:
    static constexpr std::chrono::seconds kLease{60};

    /// Returns nullopt when a living owner holds the lock or another claim came in between. Removes the files
    /// of dead owners.
    static Result<std::optional<OwnerFile>> tryAcquire(const std::filesystem::path& path);
    OwnerFile(OwnerFile&& other) noexcept;
    OwnerFile& operator=(OwnerFile&& other) = delete;
    /// Removes our file.
    ~OwnerFile();

    /// Extends the lease; may be called at any rate.
    void refresh();

private:
    OwnerFile(std::filesystem::path path, std::string content);

    std::filesystem::path m_path;
    std::string m_content; ///< empty = moved from
    std::chrono::steady_clock::time_point m_refreshed;
};

} // namespace trainyard::agent
