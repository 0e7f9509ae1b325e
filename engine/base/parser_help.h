#pragma once

#include <sstream>

#include "engine/base/standard_streams.h"

namespace trainyard {

/// Prints what a parser of CLI11 was asked for: `success` is what it threw for --help or --version.
template <typename Parser, typename Success>
void printHelp(const Parser& parser, const Success& success)
{
    std::ostringstream text;
    parser.exit(success, text);
    printOutput(text.str());
}

} // namespace trainyard
