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

/// TensorBoard knows its files by their names.
bool isEventFile(const std::filesystem::path& path);

/// The runs in a folder and below it, or the run of an event file, sorted by name; none is no error. Does not
/// follow links to folders.
Result<std::vector<TensorBoardLog>> findTensorBoardLogs(const std::filesystem::path& place);

/// Reads scalars, texts and hyperparameters (texts "hyperparameter/NAME") from all files of a run. A restart
/// voids earlier values from its step on; of several values of a step the last one counts. Skips torn or
/// damaged parts with a warning.
Result<LoadedRun> loadTensorBoardLog(const TensorBoardLog& log, const ImportGoesOn& goesOn = {});

} // namespace trainyard
