#pragma once

#include <filesystem>

#include "engine/base/result.h"

namespace trainyard {

class ProcessGroup;

/// The ranks that see the same folder as rank 0: those on its node, or all if the file system is shared.
struct FolderSharing {
    int index = -1; ///< of this rank among them; -1 = this rank does not see that folder
    int count = 0;  ///< of the ranks that share it, rank 0 included

    bool takesPart() const { return index >= 0; }
};

/// Counts the ranks of the group that take part and numbers them in order. All ranks call it.
FolderSharing sharingAmong(ProcessGroup& group, bool takesPart);

/// Detects the sharing by a file with a random name that rank 0 creates briefly. All ranks call it.
Result<FolderSharing> findFolderSharing(ProcessGroup& group, const std::filesystem::path& folder);

} // namespace trainyard
