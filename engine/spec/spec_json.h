#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "engine/base/result.h"
#include "engine/spec/diagnostic.h"
#include "engine/spec/run_spec.h"

namespace trainyard {

/// The format that this version reads and writes: the value of the key "trainyard".
constexpr int kSpecVersion = 1;

struct ParsedSpec {
    RunSpec spec; ///< as far as it could be read; defaults elsewhere
    Diagnostics
        diagnostics; ///< every unknown key, wrong type and wrong unit; empty = spec is what was written
};

/// Reads a specification strictly: an unknown key is an error that names the nearest known one. Every key may
/// be left out except "trainyard". `model.preset` fills the model before the other model keys are applied.
/// Byte sizes and durations are strings with a unit ("25 MiB", "15 s").
ParsedSpec parseSpec(std::string_view json);

/// parseSpec, and validate when the file could be read without complaint: every diagnostic of the first that
/// has any. An error only when the file cannot be read at all.
Result<ParsedSpec> checkSpec(const std::filesystem::path& file);

/// checkSpec as one error, prefixed by the file's name: the first thing that is wrong, and how many more.
Result<RunSpec> loadSpec(const std::filesystem::path& file);

/// parseSpec of a file, for who uses only a part of the specification: nothing is validated.
Result<RunSpec> readSpec(const std::filesystem::path& file);

/// All fields, two-space indentation; parseSpec gives the same value back.
std::string toJson(const RunSpec& spec);

} // namespace trainyard
