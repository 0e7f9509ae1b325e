#pragma once

#include <filesystem>

#include "app/exchange/loaded_run.h"
#include "engine/base/result.h"

namespace trainyard {

/// Whether a file may be the history of a Weights & Biases run by the end of its name: JSON lines, as
/// `wandb-history.jsonl` of a run's folder, or what `run.scan_history()` gives, written to a .jsonl file; or
/// Parquet with a column for each metric, as W&B stores and exports histories.
bool isWandbHistory(const std::filesystem::path& file);

/// Each number of a line or row is a value of the series of its name, of nested objects "a.b", at the line's
/// _step and _timestamp (without: at the count of lines). Settings in `config.yaml` or `config.json` beside
/// it are texts "config/NAME". What is not taken is named in the warnings: other values, lines that are not
/// JSON, the media beside it. BadInput if no line has a number.
Result<LoadedRun> loadWandbHistory(const std::filesystem::path& file, const ImportGoesOn& goesOn = {});

} // namespace trainyard
