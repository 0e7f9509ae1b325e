#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "datasets/tokenizer_json/row_tokenizer.h"
#include "engine/checkpoint/hugging_face/stored_model.h"
#include "engine/generation/prompts.h"

namespace trainyard {

/// The files and settings of a tokenizer.
struct TokenizerFiles {
    std::filesystem::path vocabulary; ///< vocab.txt or tokenizer.json
    std::optional<bool> cased;        ///< of a vocab.txt; nullopt: as it looks
    std::string profile;              ///< of UnicodeTables; empty: Hugging Face's

    Result<RowTokenizer> load() const;
};

/// The tokenizer of a stored model: vocab.txt and tokenizer_config.json of Hugging Face's folder, or its
/// tokenizer.json, or those of the data set that the checkpoint's run was trained on. BadInput when they are
/// not there.
Result<TokenizerFiles> tokenizerOf(const StoredModel& model);
/// The tokenizer that --vocab and --cased name; without a vocabulary the model's own.
Result<TokenizerFiles> tokenizerOf(const StoredModel& model, const std::string& vocabulary, bool cased);

/// Turns text into the tokens of a model and back, the way its training data was made. For one thread.
class TextCodec {
public:
    /// BadInput when the vocabulary has more entries than the model.
    static Result<TextCodec> load(const TokenizerFiles& files, const ModelSpec& model);

    /// As a decoder reads it: nothing in front, nothing behind.
    TokenIds encode(std::string_view text) const;
    /// As an encoder reads it: between [CLS] and [SEP], with "[MASK]" or the mask's own name as the mask.
    TokenIds encodeWithMasks(std::string_view text) const;
    /// As rows of prompts and their completions begin.
    TokenIds encodePrompt(std::string_view text) const;
    /// As a word of a tagged sentence.
    TokenIds encodeWord(std::string_view word) const;
    /// The pieces of a text with the bytes that they stand for (Tokenizer::encodeAligned()).
    std::vector<AlignedPiece> align(std::string_view text) const;
    /// Which pieces begin a word.
    std::vector<bool> findWords(std::span<const std::int32_t> ids) const;
    /// What stands around the texts of a row. BadInput if the tokenizer does not say it.
    Result<RowFrame> frame() const;
    const SpecialTokens& special() const { return vocabulary().special(); }
    /// What the tokens from index `from` on add to the text of those before; safe to be shown.
    std::string textFrom(const TokenIds& tokens, std::size_t from) const;

    /// One token for a person to read, "##" in front of those that continue a word; safe to be shown.
    std::string piece(TokenId token) const;

    /// SpecialTokens::kNone if the tokenizer has none.
    TokenId mask() const { return special().mask; }
    /// What stands behind every document that a decoder has read; none with some tokenizers.
    std::optional<TokenId> documentEnd() const;

private:
    explicit TextCodec(RowTokenizer tokenizer);
    const Vocabulary& vocabulary() const { return m_tokenizer.vocabulary; }
    std::optional<std::int32_t> known(TokenId token) const;
    std::string decode(const TokenIds& tokens) const;
    struct FoundMask;
    FoundMask findMask(std::string_view text) const;

    RowTokenizer m_tokenizer;
    std::unique_ptr<TextEncoder> m_encoder;
};

} // namespace trainyard
