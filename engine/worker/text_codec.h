#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "datasets/tokenizer/vocabulary.h"
#include "datasets/tokenizer/wordpiece.h"
#include "engine/checkpoint/hugging_face/stored_model.h"
#include "engine/generation/prompts.h"

namespace trainyard {

/// The files and settings of a WordPiece tokenizer.
struct TokenizerFiles {
    std::filesystem::path vocabulary; ///< vocab.txt
    std::optional<bool> cased;        ///< nullopt: as the vocabulary looks
    std::string profile;              ///< of UnicodeTables; empty: Hugging Face's
};

/// The tokenizer of a stored model: vocab.txt and tokenizer_config.json of Hugging Face's folder, or those of
/// the data set that the checkpoint's run was trained on. BadInput when they are not there.
Result<TokenizerFiles> tokenizerOf(const StoredModel& model);
/// The tokenizer that --vocab and --cased name; without a vocabulary the model's own.
Result<TokenizerFiles> tokenizerOf(const StoredModel& model, const std::string& vocabulary, bool cased);

/// Turns text into the tokens of a model and back, the way its training data was made.
class TextCodec {
public:
    /// BadInput when the vocabulary has more entries than the model.
    static Result<TextCodec> load(const TokenizerFiles& files, const ModelSpec& model);

    /// As a decoder reads it: nothing in front, nothing behind.
    TokenIds encode(std::string_view text) const;
    /// As an encoder reads it: between [CLS] and [SEP], with "[MASK]" as the mask.
    TokenIds encodeWithMasks(std::string_view text) const;
    /// The pieces of a text with the bytes that they stand for.
    std::vector<AlignedPiece> align(std::string_view text) const;
    const SpecialTokens& special() const { return m_vocabulary.special(); }
    /// What the tokens from index `from` on add to the text of those before; safe to be shown.
    std::string textFrom(const TokenIds& tokens, std::size_t from) const;

    /// One token as the vocabulary spells it; safe to be shown.
    std::string piece(TokenId token) const;
    /// Whether a piece continues the word before: "##s".
    bool continuesWord(std::int32_t token) const { return m_vocabulary.piece(token).starts_with("##"); }

    TokenId mask() const { return m_vocabulary.special().mask; }
    /// [SEP], which stands behind every document that a decoder has read.
    TokenId documentEnd() const { return m_vocabulary.special().separator; }

private:
    TextCodec(Vocabulary vocabulary, WordPiece wordPiece)
        : m_vocabulary(std::move(vocabulary)), m_wordPiece(std::move(wordPiece))
    {
    }
    std::int32_t known(TokenId token) const;
    std::string decode(const TokenIds& tokens) const;

    Vocabulary m_vocabulary;
    WordPiece m_wordPiece;
};

} // namespace trainyard
