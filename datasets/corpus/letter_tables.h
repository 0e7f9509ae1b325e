#pragma once

#include <cstdint>
#include <span>

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

struct LetterRange {
    char32_t first;
    char32_t last; ///< included
    std::uint8_t kinds;
};

/// first, first + step, ... last become themselves plus distance.
struct LowerCaseRange {
    char32_t first;
    char32_t last; ///< included
    std::uint8_t step;
    std::int32_t distance;
};

/// Ascending; characters in no range have no kind. See make_letter_tables.py.
std::span<const LetterRange> letterRanges();
std::span<const LowerCaseRange> lowerCaseRanges();

} // namespace trainyard
