#pragma once

#include "datasets/tokenizer/token_spelling.h"

namespace trainyard {

/// WordPiece: tokens with a prefix ("##") continue the word before them, words are joined by spaces.
class WordPieceSpelling : public TokenSpelling {
public:
    WordPieceSpelling(std::vector<std::string> tokens, std::string prefix);

    void findWords(std::span<const std::int32_t> tokens, std::vector<bool>& starts) const override;
    std::string shown(std::int32_t token) const override { return m_tokens[static_cast<std::size_t>(token)]; }
    std::string decode(std::span<const std::int32_t> tokens) const override;

private:
    std::vector<std::string> m_tokens;
    std::string m_prefix;
    std::vector<bool> m_continues; ///< by id
};

} // namespace trainyard
