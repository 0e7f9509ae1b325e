#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace trainyard {

// The regular expressions of nltk's PunktLanguageVars and PunktToken, as functions.

/// `c` ends a word and may follow a full stop at once: quotes, brackets, ":", "*", "@", "?", "!".
bool isPunktNonWord(char32_t c);

/// The words of a text in nltk's sense: punctuation apart, full stops with the word in front of them.
/// White space is left out. The parts point into the text.
std::vector<std::string_view> punktWords(std::string_view text);

/// A word in lower case; "##number##" for numbers.
std::string punktType(std::string_view word);

/// One letter and a full stop.
bool isPunktInitial(std::string_view word);

/// Two full stops or more, and nothing else.
bool isPunktEllipsis(std::string_view word);

} // namespace trainyard
