#pragma once

#include <filesystem>

#include "datasets/shards/row_block.h"
#include "engine/spec/run_spec.h"

namespace trainyard {

/// Folder of a small BERT for a task with four rows and what Hugging Face's own code computes from them
/// (data/hf_families under ../shared or $TRAINYARD_SHARED); perhaps there is none.
std::filesystem::path referenceTask(TaskKind kind);

/// Its rows, as `prepare --task` would have written them.
RowBlock referenceRows(const std::filesystem::path& folder, const TaskSpec& task);

} // namespace trainyard
