#pragma once

#include "datasets/tokenizer/token_spelling.h"
#include "datasets/tokenizer_json/pre_tokenizer.h"

namespace trainyard {

/// Byte-level BPE: tokens are bytes, white space among them, and the pre-tokenizer cuts words.
class ByteSpelling : public TokenSpelling {
public:
    /// Tokens as the file spells them (byte_alphabet.h); others, such as added ones, stand for themselves.
    ByteSpelling(const std::vector<std::string>& tokens, PreTokenizer words);

    void findWords(std::span<const std::int32_t> tokens, std::vector<bool>& starts) const override;
    std::string shown(std::int32_t token) const override;
    std::string decode(std::span<const std::int32_t> tokens) const override;
    const std::string& bytesOf(std::int32_t token) const { return m_bytes[static_cast<std::size_t>(token)]; }

private:
    std::vector<std::string> m_bytes; ///< by id
    PreTokenizer m_words;
};

/// BPE of characters, where U+2581 stands for the space that begins a word, and <0x0A> for a byte.
class MetaspaceSpelling : public TokenSpelling {
public:
    explicit MetaspaceSpelling(const std::vector<std::string>& tokens);

    void findWords(std::span<const std::int32_t> tokens, std::vector<bool>& starts) const override;
    std::string shown(std::int32_t token) const override;
    /// Without the space in front, which the tokenizer put there.
    std::string decode(std::span<const std::int32_t> tokens) const override;

private:
    std::vector<std::string> m_texts; ///< by id, with spaces
};

} // namespace trainyard
