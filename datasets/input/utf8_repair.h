#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace trainyard {

/// Returns the length of the prefix of `text` that is complete, valid UTF-8.
std::size_t validUtf8Prefix(std::string_view text);

/// Replaces each byte that is not part of a UTF-8 character by U+FFFD. Returns the number of replacements.
std::uint64_t repairUtf8(std::string& text);

} // namespace trainyard
