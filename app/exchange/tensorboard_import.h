#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "app/exchange/loaded_run.h"
#include "engine/base/result.h"

namespace trainyard {

/// A folder with event files: what TensorBoard calls a run.
struct TensorBoardLog {
    QString name; ///< its path below the folder that was searched, "sweep/lr-3e-4"; of that one its own name
    std::filesystem::path folder;
    std::vector<std::filesystem::path> files; ///< in order of their names, which is that of their writing
    std::uint64_t bytes = 0;
};

/// The runs in a folder and below it, or the run of an event file, sorted by name. Does not follow links to
/// folders. BadInput if there is none.
Result<std::vector<TensorBoardLog>> findTensorBoardLogs(const std::filesystem::path& place);

/// Reads scalars and texts from all files of a run. A restart voids earlier values from its step on; of
/// several values of a step the last one counts. Skips torn or damaged parts with a warning.
Result<LoadedRun> loadTensorBoardLog(const TensorBoardLog& log, const ImportGoesOn& goesOn = {});

/// All runs of a location that have a series.
struct TensorBoardRuns {
    std::vector<LoadedRun> runs;
    QStringList warnings; ///< about skipped runs without series
};
/// BadInput, with the reason, if no run has a series. `goesOn` gets the name of the run and its completed
/// share.
Result<TensorBoardRuns>
loadTensorBoard(const std::filesystem::path& place,
                const std::function<bool(const QString& run, double share)>& goesOn = {});

} // namespace trainyard
