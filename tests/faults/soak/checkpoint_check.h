#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "tests/faults/soak/history.h"

namespace trainyard::soak {

/// What `latest` named.
struct CheckpointSeen {
    std::int64_t step = 0;
    std::string damage; ///< empty = whole
};

/// What `checkpoints/latest` names, read as engine/checkpoint/FORMAT.md says and every slice compared with
/// its hash; nothing when there is none yet. Not with the product's own reader. The run may publish and
/// remove checkpoints meanwhile.
std::optional<CheckpointSeen> seeLatestCheckpoint(const std::filesystem::path& checkpoints);

/// Reads all of a folder `checkpoints` in the same way, again and again: bytes that it has seen before are
/// not read once more.
class FolderReader {
public:
    explicit FolderReader(std::filesystem::path checkpoints) : m_folder(std::move(checkpoints)) {}

    /// Nothing when the folder changed under every one of a few tries.
    std::optional<FolderSeen> read();
    /// Reads every byte next time.
    void forget() { m_known.clear(); }

private:
    void examine(FolderSeen& seen);

    std::filesystem::path m_folder;
    std::map<std::string, CheckpointFound> m_known; ///< by what tells one folder's content from another's
};

} // namespace trainyard::soak
