#include "remote/agent/host/shell_words.h"

#include <iterator>
#include <sstream>

namespace trainyard::agent {

std::string quotedForShell(std::string_view text)
{
    std::string word = "'";
    for (const char c : text)
        word += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return word + "'";
}

std::vector<std::string> wordsOf(const std::string& command)
{
    std::istringstream words(command);
    return {std::istream_iterator<std::string>(words), {}};
}

} // namespace trainyard::agent
