#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>

#include "engine/base/result.h"

namespace trainyard::agent {

/// A lock for file systems that know none (some NFS mounts, Lustre without flock): a file that names who
/// holds it. It says less than a real lock: an owner is taken for dead when it is a process of this machine's
/// present boot that is gone, or when it has not refreshed the file for kLease, by the file system's own
/// clock. So what it guards must also be checked in another way. One thread at a time.
class OwnerFile {
public:
    static constexpr std::chrono::seconds kLease{60};

    /// Nothing when a living owner has it. A dead one's file is moved aside, looked at again and removed; of
    /// several who do that at once one gets it.
    static Result<std::optional<OwnerFile>> tryAcquire(const std::filesystem::path& path);
    OwnerFile(OwnerFile&& other) noexcept;
    OwnerFile& operator=(OwnerFile&& other) = delete;
    /// Removes the file if it is still ours.
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
