#pragma once

#include <filesystem>
#include <vector>

#include "engine/base/lock_file.h"

namespace trainyard {

// A folder under construction has a lock in it, which says that its program is at work and ends with it.

/// Makes the folder and takes its lock; nullopt when another holder has it.
Result<std::optional<LockFile>> lockFolder(const std::filesystem::path& folder);
/// Takes the lock of a folder that a program left; nullopt when it is in use, or never had a lock.
std::optional<LockFile> lockLeftFolder(const std::filesystem::path& folder);
/// Returns the entries of the folder except the lock; empty if it cannot be read.
std::vector<std::filesystem::path> folderEntries(const std::filesystem::path& folder);
/// Removes the content, then the lock while it is held, then the folder: a folder without a lock may belong
/// to a program that is about to take it. Errors are ignored: the next program finishes it.
void removeLockedFolder(const std::filesystem::path& folder);

} // namespace trainyard
