#pragma once

#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/generation/options/try_options.h"

namespace CLI {
class App;
}

namespace trainyard {

inline constexpr const char* kTrySummary =
    "Continue a text, fill in its [MASK], or classify, tag or answer it with a trained model";

/// Adds the options of `try` to `command`, which parses into `options`, and its help. Both outlive the
/// parsing.
void addTryOptions(CLI::App& command, TryOptions& options);

/// Returns the arguments that addTryOptions() parses into `options`: those of settings that differ from the
/// usual ones, then model and text.
std::vector<std::string> tryArguments(const TryOptions& options);

/// Returns standard input without the line feed at its end, which is the shell's. BadInput where it is a
/// terminal.
Result<std::string> readTriedText();

} // namespace trainyard
