#pragma once

#include <filesystem>

#include "datasets/shards/row_block.h"
#include "engine/spec/run_spec.h"

namespace trainyard {

/// referenceTaskModel() of the kind.
std::filesystem::path referenceTask(TaskKind kind);

/// Its rows, as `prepare --task` would have written them.
RowBlock referenceRows(const std::filesystem::path& folder, const TaskSpec& task);

} // namespace trainyard
