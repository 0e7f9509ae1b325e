#pragma once

#include "datasets/prepare/cancel_flag.h"
#include "datasets/prepare/prepare_options.h"
#include "datasets/prepare/progress.h"
#include "datasets/shards/manifest.h"

namespace trainyard {

/// Makes a data set out of dumps: shards, vocabulary and manifest in the folder `options.out`, which appears
/// when everything in it is complete. The bytes depend on the dumps and the options, not on the threads.
/// Blocks until done; on failure or when cancelled nothing is left behind, and what a killed one left for the
/// same place is cleared by the next.
Result<Manifest> prepareDataset(const PrepareOptions& options, Progress& progress, const CancelFlag& cancel);

} // namespace trainyard
