#include "remote/ssh/plain_text.h"

namespace trainyard::ssh {

std::string plainText(std::string_view bytes, std::size_t mostBytes, Lines lines)
{
    std::string text = sanitizeText(bytes, lines, mostBytes);
    const auto end = text.find_last_not_of(" \t\n");
    text.resize(end == std::string::npos ? 0 : end + 1);
    return text;
}

} // namespace trainyard::ssh
