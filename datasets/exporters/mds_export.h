#pragma once

#include <filesystem>
#include <vector>

#include "datasets/exporters/output_file.h"
#include "datasets/shards/manifest.h"
#include "datasets/shards/shard_reader.h"
#include "engine/base/result.h"

namespace trainyard {

/// Copies the rows of HDF5 shards, in order, into `target`: those of training shards into `train/`, the
/// others into `test/`, each a MosaicML Streaming dataset with the columns of its BERT data. All columns are
/// int32; masked_lm_weights is 1 on the predictions and 0 after them. Running text has only input_ids. A kind
/// without rows is skipped.
///
/// Creates `target`, but not its parents. The names of the returned entries start with train/ or test/.
Result<std::vector<ExportEntry>> exportMds(const std::filesystem::path& shardFolder,
                                           const std::vector<ShardEntry>& shards, const FoundShape& shape,
                                           const std::filesystem::path& target, const PieceDone& pieceDone);

} // namespace trainyard
