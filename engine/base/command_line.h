#pragma once

#include <filesystem>
#include <sstream>
#include <string>

#include "engine/base/standard_streams.h"

namespace trainyard {

/// The --help text on exitStatus() (result.h), the same for every command of every program.
inline constexpr const char* kExitStatusText =
    "Exit status: 0 done, 2 bad input, 3 refused because it would not fit or work,\n"
    "4 a host could not be reached or prepared, 5 the run failed or the output was lost, 130 cancelled.";

/// The name under which a node program presents itself: `own`, or "trainyard" when the user's command line
/// has become this program (`trainyard prepare`). `startedAs`: argv[0].
inline std::string programName(const char* startedAs, const char* own)
{
    return std::filesystem::path(startedAs).filename() == "trainyard" ? "trainyard" : own;
}

/// Prints the help or version that a CLI11 parser was asked for; `success` is the exception that it threw.
template <typename Parser, typename Success>
void printHelp(const Parser& parser, const Success& success)
{
    std::ostringstream text;
    parser.exit(success, text);
    printOutput(text.str());
}

} // namespace trainyard
