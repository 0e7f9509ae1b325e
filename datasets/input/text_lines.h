#pragma once

#include <optional>
#include <string_view>

namespace trainyard {

inline bool isBlank(std::string_view line)
{
    return line.find_first_not_of(" \t\r\n\f\v") == std::string_view::npos;
}

/// Removes the first line from `text` and returns it without its line end ("\n" or "\r\n"); nullopt if `text`
/// is empty.
inline std::optional<std::string_view> takeLine(std::string_view& text)
{
    if (text.empty())
        return std::nullopt;
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (line.ends_with('\r'))
        line.remove_suffix(1);
    return line;
}

} // namespace trainyard
