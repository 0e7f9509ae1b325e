#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "app/runs/run_series.h"
#include "engine/base/result.h"

namespace trainyard {

/// What the note of a run's series file says: everything of a StepStream but the columns.
struct SeriesNote {
    StepStream stream; ///< without its steps
    std::vector<RunAttempt> attempts;
};

/// The note for a series file with these steps, as CBOR; the keys are in SERIES_FORMAT.md. It names the part
/// of the journal that the steps came from by its last bytes, which are read here. Failed when the journal is
/// shorter.
Result<std::string> seriesNote(const StepStream& stream, const std::filesystem::path& journal);

/// BadInput when the note is not one of this version, or when the journal is not the one that it names.
Result<SeriesNote> readSeriesNote(const std::string& note, const std::filesystem::path& journal);

} // namespace trainyard
