#pragma once

#include <filesystem>
#include <vector>

#include "datasets/job/cancel_flag.h"
#include "datasets/job/progress.h"
#include "datasets/options/prepare_options.h"
#include "datasets/shards/manifest.h"

namespace trainyard {

/// A finished data set.
struct PreparedDataset {
    std::filesystem::path folder;
    Manifest manifest;
};

/// Creates data sets from a corpus, or from the labelled examples of a task (task_preparation.h): shards,
/// vocabulary and manifest. The folder `options.out` appears when everything in it is complete; for several
/// shapes it contains a folder for each, "seq128" and so on, from one reading. The bytes depend on the corpus
/// and the options, not on the threads.
///
/// Blocks until done. On failure or cancellation nothing is left behind, unless the work should be resumed
/// later. Resumes the committed work of a process that was killed or ended by SIGTERM if its corpus and
/// options were the same; otherwise removes it.
Result<std::vector<PreparedDataset>> prepareDataset(const PrepareOptions& options, Progress& progress,
                                                    const CancelFlag& cancel);

} // namespace trainyard
