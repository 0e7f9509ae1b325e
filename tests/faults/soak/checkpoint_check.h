#pragma once

#include <filesystem>
#include <optional>

#include "tests/faults/soak/history.h"

namespace trainyard::soak {

/// What `checkpoints/latest` names, read as engine/checkpoint/FORMAT.md says and every slice compared with
/// its hash; nothing when there is none yet. Not with the product's own reader. The run may publish and
/// remove checkpoints meanwhile.
std::optional<CheckpointSeen> seeLatestCheckpoint(const std::filesystem::path& checkpoints);

} // namespace trainyard::soak
