#pragma once

#include <filesystem>
#include <optional>
#include <string_view>

#include "engine/base/lock_file.h"
#include "engine/base/result.h"

namespace trainyard {

/// A folder in the making. It grows in `.<name>.part/` beside its final place and appears there, complete and
/// on the disk, in one instant.
///
/// A lock that ends with its holder, however that ends, tells work from leftovers: what a killed process left
/// is taken up by the next one with the same job, or cleared by one with another job for the same place; a
/// second process beside a living one is refused.
/// One thread at a time.
class StagedFolder {
public:
    /// Makes missing parent folders. `path` must be absolute and not exist, or be an empty folder. Refused
    /// while another process makes the same folder; BadInput when nothing can be made there. `job` is a text
    /// that is the same for processes that make the same content in the same way; without one
    /// nothing is taken up.
    static Result<StagedFolder> create(const std::filesystem::path& path, std::string_view job = {});
    /// Clears what is left of a process that was killed after it had published `path`. True when that was
    /// for this job.
    static bool finishPublished(const std::filesystem::path& path, std::string_view job);
    StagedFolder(StagedFolder&& other) noexcept;
    /// Removes everything that was not published, and the parents that it made where they are still empty.
    ~StagedFolder();

    /// What will be published.
    std::filesystem::path content() const { return m_staging / "content"; }
    /// For temporary files, on the same disk; gone at the end.
    std::filesystem::path scratch() const { return m_staging / "scratch"; }

    /// Content and scratch may hold what a killed process with this job made.
    bool isResumed() const { return m_resumed; }
    /// What a killed process with another job left here is gone.
    bool hasCleared() const { return m_cleared; }
    /// What is there stays for a later process with this job.
    void keep() { m_kept = true; }

    /// Brings the content to the disk and gives it its final name. Failed when somebody put something there.
    Status publish();

private:
    StagedFolder(std::filesystem::path path, std::filesystem::path oldParent);
    Status takeStaging();
    Status takeUp(std::string_view job);
    Status makeEmpty() const;
    /// The staging folder and the parents that are ours, as far as nothing is in them.
    void removeEmptyFolders() const;

    std::filesystem::path m_path;
    std::filesystem::path m_staging;
    std::filesystem::path m_oldParent; ///< the nearest parent that was there before; what lies below is ours
    std::optional<LockFile> m_lock;    ///< held = the folder in the making is ours
    bool m_resumed = false;
    bool m_cleared = false;
    bool m_kept = false;
};

} // namespace trainyard
