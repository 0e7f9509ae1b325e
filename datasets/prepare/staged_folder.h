#pragma once

#include <filesystem>

#include "engine/base/lock_file.h"
#include "engine/base/result.h"

namespace trainyard {

/// A folder in the making. It grows in `.<name>.part/` beside its final place and appears there, complete and
/// on the disk, in one instant.
///
/// A lock that ends with its holder, however that ends, tells work from leftovers: what a killed process left
/// is cleared by the next one for the same place, and a second process beside a living one is refused.
/// One thread at a time.
class StagedFolder {
public:
    /// Makes missing parent folders. `path` must be absolute and not exist, or be an empty folder. Refused
    /// while another process makes the same folder; BadInput when nothing can be made there.
    static Result<StagedFolder> create(const std::filesystem::path& path);
    StagedFolder(StagedFolder&& other) noexcept;
    /// Removes everything that was not published, and the parents that it made where they are still empty.
    ~StagedFolder();

    /// What will be published.
    std::filesystem::path content() const { return m_staging / "content"; }
    /// For temporary files, on the same disk; gone at the end.
    std::filesystem::path scratch() const { return m_staging / "scratch"; }

    /// Brings the content to the disk and gives it its final name. Failed when somebody put something there.
    Status publish();

private:
    StagedFolder(std::filesystem::path path, std::filesystem::path oldParent);
    Status takeStaging();
    Status makeEmpty() const;

    std::filesystem::path m_path;
    std::filesystem::path m_staging;
    std::filesystem::path m_oldParent; ///< the nearest parent that was there before; what lies below is ours
    std::optional<LockFile> m_lock;    ///< held = the folder in the making is ours
};

} // namespace trainyard
