#pragma once

#include <CLI/CLI.hpp>
#include <functional>

#include "engine/base/result.h"

namespace trainyard {

/// Each function adds one subcommand with its options to `app`. If the user chose it, the returned function
/// runs it; it prints results on stdout and returns errors to the caller.
struct Command {
    CLI::App* app = nullptr;
    std::function<Status()> run;
};

Command addAdoptCommand(CLI::App& app);
Command addPrepareCommand(CLI::App& app);
Command addDocumentsCommand(CLI::App& app);
Command addVerifyCommand(CLI::App& app);
Command addTokenizeCommand(CLI::App& app);
Command addTrainTokenizerCommand(CLI::App& app);
Command addConvertCommand(CLI::App& app);
Command addRowsCommand(CLI::App& app);

} // namespace trainyard
