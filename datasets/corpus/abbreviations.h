#pragma once

#include <string_view>

namespace trainyard {

/// Behaviour of a word with a full stop at the end of a sentence.
enum class Abbreviation {
    None,
    NeverLast,     ///< always followed by the word it belongs to: "Dr.", "vol."
    BeforeNumber,  ///< an abbreviation only before a digit: "No. 5", "p. 12"
    SometimesLast, ///< ends a sentence when a usual sentence starter follows: "Inc.", "a.m.", "U.S."
};

/// Classifies `word`, given without its last full stop, in any case.
Abbreviation abbreviationKind(std::string_view word);

} // namespace trainyard
