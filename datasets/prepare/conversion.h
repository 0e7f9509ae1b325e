#pragma once

#include <filesystem>
#include <vector>

#include "datasets/job/cancel_flag.h"
#include "datasets/job/progress.h"
#include "datasets/shards/manifest.h"

namespace trainyard {

/// Copies the rows of a finished data set into MosaicML Streaming's format: `out`/train and `out`/test.
/// `folder` may also hold shards without a manifest, those of other tools. `out` appears when it is complete;
/// on failure or when cancelled nothing is left behind. Gives the files, with paths inside `out`.
Result<std::vector<ExportEntry>> convertToMds(const std::filesystem::path& folder,
                                              const std::filesystem::path& out, Progress& progress,
                                              const CancelFlag& cancel);

} // namespace trainyard
