#pragma once

#include <filesystem>
#include <vector>

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

/// The folders that the ranks see under one path: one for all, or one on each host.
struct FolderStores {
    std::vector<int> leaders; ///< of each folder the lowest of its ranks, ascending; the first is rank 0
    std::vector<int> storeOf; ///< by rank: number of its folder in `leaders`

    int count() const { return static_cast<int>(leaders.size()); }
};

/// Finds out which ranks see the same folder, by files with random names. All ranks call it.
/// `createsFolders`: creates the folder where it does not exist; without it, a rank that has no such folder,
/// or cannot write there, is taken for the only one of its host. `sharing`: from findFolderSharing().
Result<FolderStores> findFolderStores(ProcessGroup& group, const std::filesystem::path& folder,
                                      const FolderSharing& sharing, bool createsFolders);

/// Detects the sharing by a file with a random name that rank 0 creates briefly. All ranks call it.
Result<FolderSharing> findFolderSharing(ProcessGroup& group, const std::filesystem::path& folder);

} // namespace trainyard
