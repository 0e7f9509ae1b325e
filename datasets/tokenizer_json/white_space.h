#pragma once

#include <cstddef>
#include <string_view>

namespace trainyard {

/// White_Space of Unicode, the same set in every version since 4.0.
bool isWhiteSpace(char32_t code);

/// Length in bytes of the white space that a text in UTF-8 begins or ends with.
std::size_t whiteSpaceAtStart(std::string_view text);
std::size_t whiteSpaceAtEnd(std::string_view text);

/// The last code point of a text in UTF-8 that is not empty.
char32_t lastCodePoint(std::string_view text);

} // namespace trainyard
