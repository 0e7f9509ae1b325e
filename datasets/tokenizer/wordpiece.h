#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "datasets/tokenizer/piece_trie.h"
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

private:
    /// An empty word stands for one that is too long.
    void encodeWord(std::string_view word, std::vector<std::int32_t>& ids) const;

    TextNormalizer m_normalizer;
    PieceTrie m_trie;
    PieceTrie::State m_continuation = PieceTrie::kRoot; ///< after "##"
    bool m_hasContinuations = false;
    std::int32_t m_unknown;
};

} // namespace trainyard
