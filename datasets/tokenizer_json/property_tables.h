#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace trainyard {

/// Code points as codePoints() reads them: "9 41-5A".
struct PropertyTable {
    /// A general category ("Lu") or a script ("Han") of Unicode, or a class of an implementation: Space and
    /// Word are \s and \w of Oniguruma; RustWord is \w of Rust's regular expressions, RustNumeric and
    /// RustPunctuation are what the pre-tokenizers Digits and Punctuation split at, CombiningMark what
    /// StripAccents removes.
    std::string_view name;
    std::string_view members;
};

struct CombiningClassTable {
    std::uint8_t combiningClass; ///< Unicode's, not 0
    std::string_view members;    ///< as codePoints() reads them
};

/// Mappings are "C0: 41.300 41.301 C7: 43.327": the results of consecutive code points behind the first of
/// them. Hangul syllables are not listed: they are computed.
struct NormalFormTables {
    std::span<const CombiningClassTable> classes;
    std::string_view canonical;   ///< complete canonical decompositions
    std::string_view notComposed; ///< of these, the code points that composition never yields
    std::string_view compatible;  ///< complete compatibility decompositions, where they differ
    std::string_view lowerCase;
};

/// What Hugging Face tokenizers 0.23 knows, probed over all code points. Its parts have the tables of
/// different Unicode versions, so a general library would agree with none of them.
std::span<const PropertyTable> propertyTables();
const NormalFormTables& normalFormTables();

} // namespace trainyard
