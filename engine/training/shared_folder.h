#pragma once

#include <filesystem>

#include "engine/base/result.h"

namespace trainyard {

class ProcessGroup;

/// Which ranks see the same folder as rank 0: those on its node, and all when the file system is shared.
struct FolderSharing {
    int index = -1; ///< of this rank among them; -1 = this rank sees another folder of that name, or none
    int count = 0;  ///< of ranks that share it; at least 1, rank 0

    bool takesPart() const { return index >= 0; }
};

/// The ranks of the group that take part, in order. All ranks call it.
FolderSharing sharingAmong(ProcessGroup& group, bool takesPart);

/// Detects it by a file with a random name that rank 0 creates briefly. All ranks call it.
Result<FolderSharing> findFolderSharing(ProcessGroup& group, const std::filesystem::path& folder);

} // namespace trainyard
