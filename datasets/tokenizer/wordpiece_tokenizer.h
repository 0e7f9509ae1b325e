#pragma once

#include "datasets/tokenizer/text_encoder.h"
#include "datasets/tokenizer/wordpiece_encoder.h"

namespace trainyard {

/// WordPiece with its own copy of the pieces.
class WordPieceTokenizer : public Tokenizer {
public:
    WordPieceTokenizer(const Vocabulary& vocabulary, const UnicodeTables& tables, bool cased)
        : m_wordPiece(vocabulary, tables, cased)
    {
    }

    std::unique_ptr<TextEncoder> encoder() const override
    {
        return std::make_unique<WordPieceEncoder>(m_wordPiece);
    }

    void encodeAligned(std::string_view text, std::vector<AlignedPiece>& pieces) const override
    {
        m_wordPiece.encodeAligned(text, pieces);
    }

private:
    WordPiece m_wordPiece;
};

} // namespace trainyard
