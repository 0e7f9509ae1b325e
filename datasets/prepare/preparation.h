#pragma once

#include <filesystem>
#include <vector>

#include "datasets/job/cancel_flag.h"
#include "datasets/job/progress.h"
#include "datasets/prepare/prepare_options.h"
#include "datasets/shards/manifest.h"

namespace trainyard {

/// A data set that is there now.
struct PreparedDataset {
    std::filesystem::path folder;
    Manifest manifest;
};

/// Makes data sets out of a corpus: shards, vocabulary and manifest. The folder `options.out` appears when
/// everything in it is complete; for several shapes it has a folder for each, "seq128" and so on, made out of
/// one reading. The bytes depend on the corpus and the options, not on the threads.
///
/// Blocks until done. On failure or when cancelled nothing is left behind, unless it is to be gone on with
/// later. What a process left that was killed or told to end is taken up where it made sure of it, if its
/// corpus and options were the same; otherwise it is cleared.
Result<std::vector<PreparedDataset>> prepareDataset(const PrepareOptions& options, Progress& progress,
                                                    const CancelFlag& cancel);

} // namespace trainyard
