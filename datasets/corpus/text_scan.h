#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace trainyard {

/// Without blanks, tabs and line ends at both ends.
std::string_view trimmed(std::string_view text);

/// Only A to Z are changed.
std::string asciiLower(std::string_view text);

bool contains(std::span<const std::string_view> words, std::string_view word);

bool startsWithIgnoringCase(std::string_view text, std::string_view lowerCasePrefix);

/// Splits at `separator` wherever it is not inside [[...]] or {{...}}.
std::vector<std::string_view> splitTopLevel(std::string_view text, char separator);

} // namespace trainyard
