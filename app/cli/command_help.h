#pragma once

#include <CLI/CLI.hpp>

namespace trainyard {

/// Appends examples and exit statuses to the help of every command; call it after all commands were added.
/// Commands of node programs answer `--help` themselves.
void completeHelp(CLI::App& app);

} // namespace trainyard
