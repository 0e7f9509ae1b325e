#pragma once

#include <filesystem>

#include "datasets/job/cancel_flag.h"
#include "datasets/job/progress.h"
#include "datasets/shards/manifest.h"
#include "engine/base/result.h"

namespace trainyard {

/// Makes shards of another tool (NVIDIA's scripts for BERT, or running text in input_ids) a data set of ours:
/// checks every row as `verify` does, puts the vocabulary beside the shards and writes their manifest, in
/// which the format is kAdoptedFormat and what only the other tool knew is 0. Shards are held out by their
/// names: those without "training" where some have it, else those with "test" or "valid". BadInput lists what
/// is wrong with the rows; Refused where there is a manifest already. Nothing is written before all rows are
/// checked.
Result<Manifest> adoptDataset(const std::filesystem::path& folder, const std::filesystem::path& vocabulary,
                              Progress& progress, const CancelFlag& cancel);

} // namespace trainyard
