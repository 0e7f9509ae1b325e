#include "engine/base/text_place.h"

#include <algorithm>

#include <fmt/format.h>

namespace trainyard {

std::string placeOfByte(std::string_view text, std::size_t byte)
{
    const std::string_view before = text.substr(0, std::min(text.size(), std::max<std::size_t>(byte, 1) - 1));
    const auto line = 1 + std::count(before.begin(), before.end(), '\n');
    const std::size_t lineStart = before.rfind('\n') + 1; // npos + 1 = 0
    return fmt::format("line {}, column {}", line, before.size() - lineStart + 1);
}

} // namespace trainyard
