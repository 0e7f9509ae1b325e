#pragma once

#include <filesystem>

#include "engine/base/result.h"

namespace trainyard {

struct RunFacts;
class RunSeries;

// Each writes every series of a run, its events and its specification. Where that fails no part of a file is left.

/// `folder`/<run id>/events.out.tfevents.…: so several runs share a folder that TensorBoard is started with.
/// Scalars are float32 there. Specification, events and notes of an import are texts. Gives the file.
Result<std::filesystem::path> exportTensorBoard(const RunFacts& facts, const RunSeries& series,
                                                const std::filesystem::path& folder);

/// RFC 4180: a line for each step, columns "step", "wall_time" (seconds since 1970-01-01 UTC; empty = not
/// known) and one for each series; empty where a series has no value at that step. "nan", "inf" and "-inf"
/// are values.
Status exportCsv(const RunFacts& facts, const RunSeries& series, const std::filesystem::path& file);

/// {"run", "name", "state", "hosts", "specification", "import", "events": [...],
///  "series": {"loss": {"step": [...], "wall_time": [...], "value": [...]}, ...}}; what is not finite is a
///  text:
/// "NaN", "Infinity", "-Infinity".
Status exportJson(const RunFacts& facts, const RunSeries& series, const std::filesystem::path& file);

} // namespace trainyard
