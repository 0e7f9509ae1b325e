#pragma once

#include <filesystem>
#include <functional>
#include <string_view>

#include "engine/base/result.h"

namespace trainyard {

struct RunFacts;
class RunSeries;

// Each writes every series of a run, its events and its specification. On failure no partial file remains.

/// Takes the next part of a text, UTF-8 cut between characters; its error ends the writing.
using TextSink = std::function<Status(std::string_view part)>;

/// Writes `folder`/<run id>/events.out.tfevents.…, so that several runs share a folder for TensorBoard.
/// Scalars become float32. Specification, events and notes of an import become texts. Returns the file.
Result<std::filesystem::path> exportTensorBoard(const RunFacts& facts, const RunSeries& series,
                                                const std::filesystem::path& folder);

/// RFC 4180: one line per step, columns "step", "wall_time" (seconds since 1970-01-01 UTC; empty = unknown)
/// and one per series ("held_out/loss" and so on for evaluations); empty if a series has no value at that
/// step. "nan", "inf" and "-inf" are values.
Status exportCsv(const RunFacts& facts, const RunSeries& series, const std::filesystem::path& file);
/// The same, anywhere.
Status writeCsv(const RunFacts& facts, const RunSeries& series, const TextSink& sink);

/// {"run", "name", "state", "hosts", "specification", "import", "events": [...],
///  "series": {"loss": {"step": [...], "wall_time": [...], "value": [...]}, ...},
///  "evaluations": [{"step", "loss", "tokens", "metrics": {"perplexity": ...}}, ...]}, ascending by step and
/// with the tokens that were predicted on held-out rows; what is not finite is a text: "NaN", "Infinity",
/// "-Infinity".
Status exportJson(const RunFacts& facts, const RunSeries& series, const std::filesystem::path& file);
/// The same, anywhere.
Status writeJson(const RunFacts& facts, const RunSeries& series, const TextSink& sink);

} // namespace trainyard
