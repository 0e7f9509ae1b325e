#pragma once

#include <filesystem>
#include <vector>

#include "app/exchange/loaded_run.h"
#include "engine/base/result.h"

namespace trainyard {

/// A run in the Parquet files of Neptune's exporter, which have a row for each attribute and, of series, for
/// each step: project_id, run_id, attribute_path, attribute_type, step, timestamp and a column for each kind
/// of value (float_value, string_value, ...).
struct NeptuneRun {
    QString project;
    QString id;
    std::vector<std::filesystem::path> files; ///< with rows of it
};

/// By the columns of its first row.
Result<bool> isNeptuneExport(const std::filesystem::path& file);

/// The runs in those files, in the order in which they occur. BadInput if one cannot be read.
Result<std::vector<NeptuneRun>> findNeptuneRuns(const std::vector<std::filesystem::path>& files);

/// Numbers with a step are the points of the series of their attribute; single numbers, texts and truth
/// values are texts "config/PATH". Other attributes (files, histograms) are named in the warnings.
Result<LoadedRun> loadNeptuneRun(const NeptuneRun& run, const ImportGoesOn& goesOn = {});

} // namespace trainyard
