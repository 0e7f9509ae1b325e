#pragma once

#include <memory>

#include "datasets/tokenizer/text_encoder.h"
#include "datasets/tokenizer_json/added_tokens.h"
#include "datasets/tokenizer_json/normalizer.h"
#include "datasets/tokenizer_json/piece_encoder.h"
#include "datasets/tokenizer_json/pre_tokenizer.h"

namespace trainyard {

/// The parts of a tokenizer.json in the order in which a text meets them.
struct TokenizerPipeline {
    AddedTokens rawTokens; ///< looked for in the text as it is
    Normalizer normalizer;
    AddedTokens normalizedTokens; ///< looked for behind the normalizer
    PreTokenizer preTokenizer;
    std::unique_ptr<PieceModel> model;
};

class PipelineTokenizer : public Tokenizer {
public:
    explicit PipelineTokenizer(TokenizerPipeline pipeline) : m_pipeline(std::move(pipeline)) {}

    std::unique_ptr<TextEncoder> encoder() const override;
    /// Places are of whole characters, without white space at their ends.
    void encodeAligned(std::string_view text, std::vector<AlignedPiece>& pieces) const override;

private:
    TokenizerPipeline m_pipeline;
};

} // namespace trainyard
