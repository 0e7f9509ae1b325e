#pragma once

#include <memory>
#include <optional>

#include <QString>

#include "app/runs/run_series.h"
#include "app/series/series_file.h"
#include "engine/base/result.h"

namespace trainyard {

/// Shorter runs have no cache, because their journal is read fast.
constexpr qsizetype kMinCachedSteps = kChunkRows;

/// Reads the steps of a run from its series file, a cache of its journal of steps. BadInput when there is no
/// file, when damage shows at once, or when the file was made from another journal.
Result<StepStream> readSeriesCache(const QString& runFolder);

/// Rebuilds the cache from the journal if any byte of it is damaged, and returns whether it was. Reads the
/// whole file: not for the GUI thread.
Result<bool> repairSeriesCache(const QString& runFolder);

/// Rebuilds the cache from the journal. Not for the GUI thread.
Status rebuildSeriesCache(const QString& runFolder);

/// Keeps the cache of one run up to date from the steps in memory: writes each row once and reads nothing
/// back. Any thread, one at a time.
class SeriesCache {
public:
    /// `restoredRows`: rows of the file that the series in memory begins with, as after readSeriesCache(); 0
    /// = none.
    SeriesCache(const QString& runFolder, qsizetype restoredRows);

    /// Appends the rows that are new since the last update. Writes the file again when rows changed, as when
    /// a later attempt replaced steps, or when the file is not the one that was written last. Refused while
    /// another program writes it.
    Status update(const StepStream& stream);

private:
    Status openWriter();
    Status replace(const StepStream& stream);

    std::filesystem::path m_runFolder;
    int m_rewrites = 0;   ///< rewrites of the steps and the evaluations that the file reflects
    qsizetype m_rows = 0; ///< in the file after the last write; 0 = to be rewritten
    std::optional<SeriesWriter> m_writer;
};

} // namespace trainyard
