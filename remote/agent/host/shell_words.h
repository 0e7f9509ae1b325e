#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace trainyard::agent {

/// Returns the text as one word of a shell, whatever is in it.
std::string quotedForShell(std::string_view text);

/// Splits a command at its blanks, without a meaning for quotes: as mpirun does with its remote shell.
std::vector<std::string> wordsOf(const std::string& command);

} // namespace trainyard::agent
