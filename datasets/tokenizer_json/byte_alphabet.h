#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace trainyard {

/// GPT-2's bytes_to_unicode(): a printable character for each byte, itself where it is one in Latin-1, so
/// that any bytes are text. "Ġ" is a space.
char32_t characterOfByte(unsigned char byte);

std::string spelledBytes(std::string_view bytes);

/// The bytes that a text in this alphabet spells; nullopt if it has other characters.
std::optional<std::string> bytesSpelledBy(std::string_view text);

} // namespace trainyard
