#pragma once

#include <filesystem>
#include <vector>

#include "datasets/job/cancel_flag.h"
#include "datasets/job/progress.h"
#include "datasets/shards/manifest.h"

namespace trainyard {

/// Copies the rows of a finished data set in MosaicML Streaming's format into `out`/train and `out`/test.
/// `folder` may also contain shards of other tools without a manifest. `out` appears when it is complete; on
/// failure or cancellation nothing is left behind. Returns the files, with paths inside `out`.
Result<std::vector<ExportEntry>> convertToMds(const std::filesystem::path& folder,
                                              const std::filesystem::path& out, Progress& progress,
                                              const CancelFlag& cancel);

} // namespace trainyard
