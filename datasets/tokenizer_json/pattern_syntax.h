#pragma once

#include <string_view>
#include <vector>

#include "datasets/tokenizer_json/code_point_set.h"
#include "engine/base/result.h"

namespace trainyard {

/// A regular expression as a tree.
struct PatternNode {
    enum class Kind {
        Set,          ///< one code point of `set`
        Sequence,     ///< all parts, one after the other; matches the empty text without parts
        Alternatives, ///< the first part that leads to a match
        Repeat,       ///< parts[0], `least` to `most` times
        Look,         ///< parts[0] follows here, or does not if `negative`
        TextBegin,
        TextEnd,
        LineBegin,
        LineEnd,
    };
    /// Of Repeat: how often it tries first, and whether it reconsiders.
    enum class Mode { Greedy, Lazy, Possessive };
    static constexpr unsigned kUnlimited = ~0u;

    Kind kind = Kind::Sequence;
    CodePointSet set{};
    std::vector<PatternNode> parts{};
    unsigned least = 0;
    unsigned most = 0;
    Mode mode = Mode::Greedy;
    bool negative = false;

    static PatternNode ofSet(CodePointSet set);
    static PatternNode ofText(std::string_view utf8);
    static PatternNode repeated(PatternNode part, unsigned least, unsigned most, Mode mode = Mode::Greedy);
};

/// Reads a regular expression in the syntax of Oniguruma (Ruby's), as a tokenizer.json has them: literals,
/// `.`, classes (nested and with &&), \s \w \d, \p{...} of general categories and the scripts of
/// propertyTables(), ^ $ \A \z, groups, alternatives, (?i:...) of ASCII, look-ahead, and greedy, lazy and
/// possessive repetition. BadInput names what is not among these, and where.
Result<PatternNode> parsePattern(std::string_view text);

} // namespace trainyard
