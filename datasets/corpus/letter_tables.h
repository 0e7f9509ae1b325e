#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace trainyard {

/// Kinds of a character, as bits: the Unicode properties as Python 3.11 and its `regex` module define them.
namespace letter_kind {
constexpr std::uint8_t kUpper = 1;           ///< str.isupper()
constexpr std::uint8_t kLower = 2;           ///< str.islower()
constexpr std::uint8_t kLetter = 4;          ///< [^\W\d]: letters, marks, connectors such as "_"
constexpr std::uint8_t kDigit = 8;           ///< \d
constexpr std::uint8_t kSpace = 16;          ///< \s
constexpr std::uint8_t kStripped = 32;       ///< str.isspace(): what str.strip() removes
constexpr std::uint8_t kCased = 64;          ///< makes a capital sigma after it final
constexpr std::uint8_t kCaseIgnorable = 128; ///< skipped when looking for a cased character
} // namespace letter_kind

/// The characters of one combination of kinds.
struct LetterSet {
    std::uint8_t kinds;
    std::string_view characters; ///< as codePoints() reads them
};

/// first, first + step, ... last become themselves plus distance.
struct LowerCaseRange {
    char32_t first;
    char32_t last; ///< included
    std::uint8_t step;
    std::int32_t distance;
};

/// Disjoint; characters in no set have no kind. See make_letter_tables.py.
std::span<const LetterSet> letterSets();
/// Ascending.
std::span<const LowerCaseRange> lowerCaseRanges();

} // namespace trainyard
