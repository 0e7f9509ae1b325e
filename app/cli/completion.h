#pragma once

#include <functional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

namespace trainyard {

/// Names that only the desk knows, asked for when a word may be one of them.
struct CompletionNames {
    std::function<std::vector<std::string>()> runs;
    std::function<std::vector<std::string>()> hosts;
    std::function<std::vector<std::string>()> hardware;
};

/// What the last of `words` may become, all of it with that beginning: commands, options, values from a list,
/// runs (RUN), hosts (HOST, --host) and hardware (--hardware, --predict). Empty where anything may stand,
/// such as a file. `words` without the program's name; the last one may be empty.
std::vector<std::string> completionsOf(const CLI::App& app, const std::vector<std::string>& words,
                                       const CompletionNames& names);

/// What a shell has to read so that it asks `trainyard complete`; empty for another shell than bash, zsh and
/// fish.
std::string completionScript(const std::string& shell);

} // namespace trainyard
