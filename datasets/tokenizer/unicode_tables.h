#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace trainyard {

struct CodePointRange {
    char32_t first;
    char32_t last; ///< included
};

struct FoldedToOne {
    char32_t code;
    char32_t result;
};

struct FoldedToMany {
    char32_t code;
    std::u32string_view result;
};

struct CombiningMark {
    char32_t code;
    std::uint8_t combiningClass; ///< Unicode's, not 0
};

/// Lower case without accents, as changes of another folding. Hangul syllables are not listed: they are
/// computed.
struct CaseFolding {
    const CaseFolding* base;                  ///< the folding that the others change; nullptr = identity
    std::span<const CodePointRange> unfolded; ///< the base folds them, this one keeps them
    std::span<const CodePointRange> removed;  ///< fold to nothing
    std::span<const FoldedToOne> toOne;
    std::span<const FoldedToMany> toMany;
};

/// How one implementation of BERT's tokenizer treats every code point. Implementations differ because each
/// carries the tables of another Unicode version; see datasets/README.md. Ranges are ascending and do not
/// overlap.
struct UnicodeTables {
    std::string_view profile; ///< name stored in the manifest of a data set
    CaseFolding folding;
    std::span<const CodePointRange> removed;
    std::span<const CodePointRange> toSpace;
    std::span<const CodePointRange> whiteSpace;  ///< splits words
    std::span<const CodePointRange> ideographs;  ///< each is a word
    std::span<const CodePointRange> punctuation; ///< each is a word
    /// Marks that folding keeps, sorted by their class in the text (Unicode standard, section 3.11).
    std::span<const CombiningMark> marks;
    std::span<const CodePointRange> removedStarters; ///< removed by folding, but marks do not move past them
    /// A capital sigma becomes a final one after a cased character and before none; ignorable characters are
    /// skipped in both directions. Empty = it never becomes final.
    std::span<const CodePointRange> cased;
    std::span<const CodePointRange> caseIgnorable;
};

/// The tables of Hugging Face tokenizers 0.23 (BertNormalizer and BertPreTokenizer), probed over all code
/// points.
const UnicodeTables& huggingFaceTables();

/// The tables of Google's and NVIDIA's tokenization.py on Python 3.11 (Unicode 14).
const UnicodeTables& googlePythonTables();

/// Returns the tables with the name that users give, "hf" or "google-py"; nullptr if the name is unknown.
const UnicodeTables* unicodeTables(std::string_view name);

} // namespace trainyard
