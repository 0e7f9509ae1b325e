#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "datasets/tokenizer/piece_trie.h"
#include "datasets/tokenizer/vocabulary.h"
#include "datasets/tokenizer_json/byte_pair_model.h"

namespace trainyard {

/// The "model" of a tokenizer.json of type WordPiece.
struct WordPieceSettings {
    TokenIds vocabulary;
    std::string unknown;     ///< token of words that cannot be cut; in the vocabulary
    std::string prefix;      ///< of tokens that continue a word
    std::size_t longest = 0; ///< in code points; longer words are unknown
};

/// Cuts a word greedily into the longest tokens.
class WordPieceModel : public PieceModel {
public:
    explicit WordPieceModel(const WordPieceSettings& settings);

    std::unique_ptr<PieceEncoder> encoder() const override;
    void encodeAligned(std::string_view word, std::vector<AlignedPiece>& tokens) const override;

    void encode(std::string_view word, std::vector<std::int32_t>& ids) const;

private:
    struct Tokens {
        std::vector<std::string> names;
        std::vector<std::int32_t> ids;
    };
    WordPieceModel(const WordPieceSettings& settings, Tokens tokens);
    /// Calls token(id, bytes of the word) for each; false where the rest of the word is no token.
    template <typename Token>
    bool cutWord(std::string_view word, Token token) const;

    PieceTrie m_trie;
    std::vector<std::int32_t> m_ids; ///< by number in the trie
    PieceTrie::State m_continuation = PieceTrie::kRoot;
    bool m_hasContinuations;
    std::int32_t m_unknown;
    std::size_t m_longest;
};

/// All of BERT's tokenizer at once, several times as fast: a model whose piece is a whole text as it came.
std::unique_ptr<PieceModel> bertModel(const Vocabulary& vocabulary, bool cased);

/// The vocabulary for bertModel(); nullopt if the model is not exactly BERT's.
std::optional<Vocabulary> bertVocabulary(const WordPieceSettings& settings);

} // namespace trainyard
