#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include "engine/base/result.h"
#include "engine/checkpoint/format/checkpoint_folder.h"
#include "engine/records/fence.h"

namespace trainyard {

/// Publishes a checkpoint of a few bytes: two tensors in `shards` files, with values that depend on the step.
Status publishSmallCheckpoint(const std::filesystem::path& checkpoints, std::int64_t step, int shards = 1,
                              const KeptCheckpoints& kept = {}, const Fence& fence = {});

/// The checkpoint that a start would take; nothing when there is none yet.
Result<std::optional<std::filesystem::path>> startingCheckpoint(const std::filesystem::path& checkpoints);

} // namespace trainyard
