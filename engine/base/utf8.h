#pragma once

#include <cstddef>
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

} // namespace trainyard
