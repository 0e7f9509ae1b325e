#pragma once

#include "datasets/prepare/preparation.h"

namespace trainyard {

/// Creates a data set of labelled rows from the files of a task (datasets/tasks): shards, files of the
/// tokenizer, manifest, and of questions those of the test rows with the answers that people gave,
/// questions.jsonl. `options` as checkedOptions() returns them. Everything is in memory; on failure or
/// cancellation nothing is left behind, and a killed job starts again.
Result<PreparedDataset> prepareTaskDataset(const PrepareOptions& options, Progress& progress,
                                           const CancelFlag& cancel);

} // namespace trainyard
