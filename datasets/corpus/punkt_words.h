#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace trainyard {

// The regular expressions of nltk's PunktLanguageVars and PunktToken, as functions.

/// Returns true if `c` ends a word and may directly follow a full stop: quotes, brackets, ":", "*", "@", "?",
/// "!".
bool isPunktNonWord(char32_t c);

/// Splits a text into words as nltk does: punctuation apart, full stops with the word before them. White
/// space is dropped. The parts point into the text.
std::vector<std::string_view> punktWords(std::string_view text);

/// Returns the word in lower case; "##number##" for numbers.
std::string punktType(std::string_view word);

/// Returns true for one letter and a full stop.
bool isPunktInitial(std::string_view word);

/// Returns true for two or more full stops and nothing else.
bool isPunktEllipsis(std::string_view word);

} // namespace trainyard
