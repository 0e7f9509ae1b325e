#pragma once

#include <string>
#include <vector>

#include "engine/generation/options/try_options.h"

namespace CLI {
class App;
class Option;
} // namespace CLI

namespace trainyard {

inline constexpr const char* kTrySummary =
    "Continue a text with a trained decoder, or fill in its [MASK] with an encoder";

/// Adds the options of `try` to `command`, which parses into `options`, and its help. Both outlive the
/// parsing.
void addTryOptions(CLI::App& command, TryOptions& options);

/// Returns the arguments with which a parsed `command` was called, in the order of its options, each with its
/// values; without the positional ones and those of `without`.
std::vector<std::string> namedArguments(const CLI::App& command, const CLI::Option* without);

} // namespace trainyard
