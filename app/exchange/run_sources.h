#pragma once

#include <filesystem>
#include <functional>
#include <vector>

#include "app/exchange/loaded_run.h"
#include "engine/base/result.h"

namespace trainyard {

/// A run of another tool that can be imported.
struct RunSource {
    QString name;
    std::function<Result<LoadedRun>(const ImportGoesOn&)> load; ///< in any thread
};

/// The runs in a folder and below it, or in a file: TensorBoard's event files, MLflow's file store, W&B's
/// histories, the Parquet files of Neptune's exporter. In that order, each by name. Does not follow links to
/// folders. BadInput if there is none.
Result<std::vector<RunSource>> findRunSources(const std::filesystem::path& place);

/// Whether findRunSources() is for this path; a file that is neither an event file nor JSON lines nor Parquet
/// is a table (csv_import.h).
bool isRunSource(const std::filesystem::path& place);

/// All runs of a location that have a series.
struct LoadedRuns {
    std::vector<LoadedRun> runs;
    QStringList warnings; ///< about skipped runs without series
};
/// BadInput, with the reason, if no run has a series. `goesOn` gets the name of the run and its completed
/// share.
Result<LoadedRuns> loadRuns(const std::filesystem::path& place,
                            const std::function<bool(const QString& run, double share)>& goesOn = {});

} // namespace trainyard
