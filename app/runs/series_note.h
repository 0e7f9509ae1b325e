#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "app/runs/run_series.h"
#include "engine/base/result.h"

namespace trainyard {

/// The note of a run's series file: a StepStream without the columns.
struct SeriesNote {
    StepStream stream; ///< without its steps and evaluations
    std::vector<RunAttempt> attempts;
    qsizetype evaluations = 0; ///< rows of their table
};

/// Returns the note for a series file with these steps, as CBOR; the keys are in SERIES_FORMAT.md. It
/// identifies the part of the journal that the steps came from by its last bytes, which this function reads.
/// Failed when the journal is shorter.
Result<std::string> seriesNote(const StepStream& stream, const std::filesystem::path& journal);

/// Parses a note. BadInput when it has another version, or identifies another journal.
Result<SeriesNote> readSeriesNote(const std::string& note, const std::filesystem::path& journal);

} // namespace trainyard
