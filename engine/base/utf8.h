#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace trainyard {

constexpr char32_t kReplacementCharacter = 0xFFFD;

struct Utf8Char {
    char32_t code = kReplacementCharacter;
    std::size_t bytes = 1;
};

/// The code point that starts at text[at]; a byte that starts none (damage, overlong form, surrogate) is one
/// replacement character of one byte. Requires at < text.size().
Utf8Char decodeUtf8(std::string_view text, std::size_t at);

constexpr std::size_t kMaxUtf8Length = 4; ///< bytes of a code point

/// Writes up to kMaxUtf8Length bytes and returns their end. Requires a code point up to U+10FFFF.
char* encodeUtf8(char32_t code, char* out);

/// Requires a code point up to U+10FFFF.
void appendUtf8(std::string& out, char32_t code);

/// Returns the length of the prefix of `text` that is complete, valid UTF-8.
std::size_t validUtf8Prefix(std::string_view text);
inline bool isUtf8(std::string_view text)
{
    return validUtf8Prefix(text) == text.size();
}

/// Replaces each byte that is not part of a UTF-8 character by U+FFFD. Returns the number of replacements.
std::uint64_t repairUtf8(std::string& text);

} // namespace trainyard
