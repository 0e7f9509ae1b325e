#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace trainyard {

/// Bytes at the front of `text` that are whole, valid UTF-8 characters.
std::size_t validUtf8Prefix(std::string_view text);

/// Replaces each byte that belongs to no UTF-8 character by U+FFFD. Returns how many.
std::uint64_t repairUtf8(std::string& text);

} // namespace trainyard
