#pragma once

#include <string_view>
#include <vector>

namespace trainyard {

/// Splits a paragraph into sentences by rules: a full stop, question or exclamation mark ends one when
/// closing quotes or brackets and white space follow and the next word does not start in lower case.
/// Abbreviations
/// ("Dr.", "No. 5", "U.S. Army"), initials ("J. R. R. Tolkien") and enumerations do not end one. Ideographic
/// full stops need no white space. The parts point into the paragraph and leave out the blanks between them.
std::vector<std::string_view> splitSentences(std::string_view paragraph);

/// How a word with a full stop behaves at the end of a sentence.
enum class Abbreviation {
    None,
    NeverLast,     ///< always followed by the word it belongs to: "Dr.", "vol."
    BeforeNumber,  ///< an abbreviation only in front of a digit: "No. 5", "p. 12"
    SometimesLast, ///< ends a sentence when a usual sentence starter follows: "Inc.", "a.m.", "U.S."
};

/// `word` without its last full stop, any case.
Abbreviation abbreviationKind(std::string_view word);

} // namespace trainyard
