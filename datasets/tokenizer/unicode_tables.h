#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace trainyard {

struct FoldedToMany {
    char32_t code;
    std::u32string_view result;
};

struct CombiningMark {
    char32_t code;
    std::uint8_t combiningClass; ///< Unicode's, not 0
};

/// Code points as codePoints() reads them: "9 41-5A".
using CodePointText = std::string_view;

/// Lower case without accents, as changes of another folding. Hangul syllables are not listed: they are
/// computed.
struct CaseFolding {
    const CaseFolding* base; ///< the folding that the others change; nullptr = identity
    CodePointText unfolded;  ///< the base folds them, this one keeps them
    CodePointText removed;   ///< fold to nothing
    /// "C0: 61 61 C8: 65": the results of consecutive code points behind the first of them.
    std::string_view toOne;
    std::span<const FoldedToMany> toMany;
};

/// How one implementation of BERT's tokenizer treats every code point. Implementations differ because each
/// carries the tables of another Unicode version; see datasets/README.md.
struct UnicodeTables {
    std::string_view profile; ///< name stored in the manifest of a data set
    CaseFolding folding;
    CodePointText removed;
    CodePointText toSpace;
    CodePointText whiteSpace;  ///< splits words
    CodePointText ideographs;  ///< each is a word
    CodePointText punctuation; ///< each is a word
    /// Marks that folding keeps, sorted by their class in the text (Unicode standard, section 3.11).
    std::span<const CombiningMark> marks;
    CodePointText removedStarters; ///< removed by folding, but marks do not move past them
    /// A capital sigma becomes a final one after a cased character and before none; ignorable characters are
    /// skipped in both directions (letter_kind). False = it never becomes final.
    bool finalSigma;
};

/// The tables of Hugging Face tokenizers 0.23 (BertNormalizer and BertPreTokenizer), probed over all code
/// points.
const UnicodeTables& huggingFaceTables();

/// The tables of Google's and NVIDIA's tokenization.py on Python 3.11 (Unicode 14).
const UnicodeTables& googlePythonTables();

/// Returns the tables with the name that users give, "hf" or "google-py"; nullptr if the name is unknown.
const UnicodeTables* unicodeTables(std::string_view name);

/// Returns the tables with the profile that a manifest names; Hugging Face's for an unknown one.
const UnicodeTables& tablesOfProfile(std::string_view profile);

} // namespace trainyard
