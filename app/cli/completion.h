#pragma once

#include <functional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

namespace trainyard {

/// Names stored on this computer; fetched only if the word can be one of them.
struct CompletionNames {
    std::function<std::vector<std::string>()> runs;
    std::function<std::vector<std::string>()> hosts;
    std::function<std::vector<std::string>()> hardware;
};

/// Completions of the last of `words`: commands, options, values from a list, runs (RUN), hosts (HOST,
/// --host) and hardware (--hardware, --predict). Empty if any text is allowed there, such as a file. `words`
/// excludes the program's name; the last one may be empty.
std::vector<std::string> completionsOf(const CLI::App& app, const std::vector<std::string>& words,
                                       const CompletionNames& names);

/// The script that makes a shell call `trainyard complete`; empty for shells other than bash, zsh and fish.
std::string completionScript(const std::string& shell);

} // namespace trainyard
