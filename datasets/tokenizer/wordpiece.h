#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "datasets/tokenizer/piece_trie.h"
#include "datasets/tokenizer/text_encoder.h"
#include "datasets/tokenizer/text_normalizer.h"
#include "datasets/tokenizer/vocabulary.h"

namespace trainyard {

/// BERT's WordPiece: cuts the words of the normalized text greedily into the longest pieces of the
/// vocabulary. Yields the ids of the implementation that `tables` were taken from, except that raw text never
/// becomes a special token: a "[MASK]" in an article is four letters in brackets. Immutable; any thread may
/// use it.
class WordPiece {
public:
    WordPiece(const Vocabulary& vocabulary, const UnicodeTables& tables, bool cased);

    /// Appends the ids of `text`, without [CLS] and [SEP]. WordPieceEncoder does the same faster.
    void encode(std::string_view text, std::vector<std::int32_t>& ids) const;

    /// Appends the same pieces with their places. All pieces of a word whose characters were folded to more
    /// or fewer ones have the place of the word.
    void encodeAligned(std::string_view text, std::vector<AlignedPiece>& pieces) const;

private:
    /// Calls piece(id, bytes of the word) for each piece; false where the rest is none.
    template <typename Piece>
    bool cutWord(std::string_view word, Piece piece) const;
    /// An empty word stands for one that is too long.
    void encodeWord(std::string_view word, std::vector<std::int32_t>& ids) const;

    TextNormalizer m_normalizer;
    PieceTrie m_trie;
    PieceTrie::State m_continuation = PieceTrie::kRoot; ///< after "##"
    bool m_hasContinuations = false;
    std::int32_t m_unknown;
};

} // namespace trainyard
