#pragma once

#include <filesystem>
#include <optional>
#include <string_view>

#include "engine/base/lock_file.h"
#include "engine/base/result.h"

namespace trainyard {

/// A folder under construction. It grows in `.<name>.part/` beside its final location and appears there
/// atomically, complete and on the disk.
///
/// A lock that ends with its process distinguishes work in progress from leftovers: the next process with the
/// same job resumes the work of a killed one, a process with another job for the same location removes it; a
/// second process beside a running one is refused. One thread at a time.
class StagedFolder {
public:
    /// Creates missing parent folders. `path` must be absolute and not exist, or be an empty folder. Refused
    /// while another process creates the same folder; BadInput if nothing can be created there. `job` is a
    /// text that is equal for processes that create the same content in the same way; without it nothing is
    /// resumed.
    static Result<StagedFolder> create(const std::filesystem::path& path, std::string_view job = {});
    /// Removes the leftovers of a process that was killed after it had published `path`. Returns true if it
    /// was for this job.
    static bool finishPublished(const std::filesystem::path& path, std::string_view job);
    StagedFolder(StagedFolder&& other) noexcept;
    /// Removes everything that was not published, and the created parents that are still empty.
    ~StagedFolder();

    /// The content to be published.
    std::filesystem::path content() const { return m_staging / "content"; }
    /// For temporary files, on the same disk; removed at the end.
    std::filesystem::path scratch() const { return m_staging / "scratch"; }

    /// True if content and scratch may hold the work of a killed process with this job.
    bool isResumed() const { return m_resumed; }
    /// True if the leftovers of a killed process with another job were removed.
    bool hasCleared() const { return m_cleared; }
    /// Keeps the work for a later process with this job.
    void keep() { m_kept = true; }

    /// Syncs the content to the disk and gives it its final name. Failed if something exists there.
    Status publish();

private:
    StagedFolder(std::filesystem::path path, std::filesystem::path oldParent);
    Status takeStaging();
    Status takeUp(std::string_view job);
    Status makeEmpty() const;
    /// Removes the staging folder and the parents created by this object, if empty.
    void removeEmptyFolders() const;

    std::filesystem::path m_path;
    std::filesystem::path m_staging;
    std::filesystem::path m_oldParent; ///< the nearest parent that existed before; folders below it are ours
    std::optional<LockFile> m_lock;    ///< held = the staging folder is ours
    bool m_resumed = false;
    bool m_cleared = false;
    bool m_kept = false;
};

} // namespace trainyard
