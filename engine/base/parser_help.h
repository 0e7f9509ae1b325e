#pragma once

#include <sstream>

#include "engine/base/standard_streams.h"

namespace trainyard {

/// Prints the help or version that a CLI11 parser was asked for; `success` is the exception that it threw.
template <typename Parser, typename Success>
void printHelp(const Parser& parser, const Success& success)
{
    std::ostringstream text;
    parser.exit(success, text);
    printOutput(text.str());
}

} // namespace trainyard
