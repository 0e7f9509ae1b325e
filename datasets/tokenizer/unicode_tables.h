#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace trainyard {

struct CodePointRange {
    char32_t first;
    char32_t last; ///< included
};

struct CodePointMapping {
    char32_t code;
    std::string_view text; ///< UTF-8; empty = removed
};

struct CombiningMark {
    char32_t code;
    std::uint8_t combiningClass; ///< Unicode's, not 0
};

/// How one implementation of BERT's tokenizer treats every code point. Implementations differ because each
/// carries the tables of another Unicode version; see datasets/README.md.
struct UnicodeTables {
    std::string_view profile; ///< name stored in the manifest of a data set
    std::span<const CodePointRange> removed;
    std::span<const CodePointRange> toSpace;
    std::span<const CodePointRange> whiteSpace;  ///< splits words
    std::span<const CodePointRange> ideographs;  ///< each a word of its own
    std::span<const CodePointRange> punctuation; ///< each a word of its own
    std::span<const CodePointMapping>
        folded; ///< in lower case without accents; Hangul left out: it is computed
    /// Marks that folding keeps, but sorts by their class (Unicode standard, section 3.11).
    std::span<const CombiningMark> marks;
    std::span<const CodePointRange> removedStarters; ///< that folding removes, but marks do not move past
    /// Where a capital sigma becomes a final one: behind a cased character and before none, both looked for
    /// past ignorable ones. Empty = it never does.
    std::span<const CodePointRange> cased;
    std::span<const CodePointRange> caseIgnorable;
};

/// As Hugging Face tokenizers 0.23 (BertNormalizer and BertPreTokenizer), probed over all code points.
const UnicodeTables& huggingFaceTables();

/// As Google's and NVIDIA's tokenization.py on Python 3.11 (Unicode 14).
const UnicodeTables& googlePythonTables();

/// By the name that users give: "hf" or "google-py"; nullptr when there are none of that name.
const UnicodeTables* unicodeTables(std::string_view name);

} // namespace trainyard
