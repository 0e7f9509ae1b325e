#pragma once

#include <CLI/CLI.hpp>

namespace trainyard {

/// Completes the help of every command, once all of them are there: below its options and what the command
/// itself has to say come examples and the exit status. Commands of the node executables answer `--help` by
/// themselves.
void completeHelp(CLI::App& app);

} // namespace trainyard
