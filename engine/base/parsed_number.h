#pragma once

#include <charconv>
#include <optional>
#include <string_view>

namespace trainyard {

/// Returns the number that the complete text is; nullopt if it is anything else or out of range.
template <typename Number>
std::optional<Number> parsedNumber(std::string_view text, int base = 10)
{
    Number number{};
    const char* const end = text.data() + text.size();
    const auto [last, error] = std::from_chars(text.data(), end, number, base);
    return error == std::errc() && last == end ? std::optional(number) : std::nullopt;
}

} // namespace trainyard
