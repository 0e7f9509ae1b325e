#pragma once

#include <charconv>
#include <optional>
#include <string_view>

namespace trainyard {

/// Returns the number that the complete text is; nullopt if it is anything else or out of range. `form`: the
/// base of a whole number, or the std::chars_format of another; without it decimal, and any.
template <typename Number, typename... Form>
std::optional<Number> parsedNumber(std::string_view text, Form... form)
{
    Number number{};
    const char* const end = text.data() + text.size();
    const auto [last, error] = std::from_chars(text.data(), end, number, form...);
    return error == std::errc() && last == end ? std::optional(number) : std::nullopt;
}

} // namespace trainyard
