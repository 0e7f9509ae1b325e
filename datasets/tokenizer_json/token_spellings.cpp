#include "datasets/tokenizer_json/token_spellings.h"

#include <algorithm>
#include <optional>

#include "datasets/tokenizer_json/byte_alphabet.h"
#include "engine/base/parsed_number.h"
#include "engine/base/untrusted_text.h"
#include "engine/base/utf8.h"

namespace trainyard {

namespace {

/// Rows begin and end in the middle of characters. Their bytes become letters, so that nothing else moves.
void hideTornCharacters(std::string& text)
{
    for (std::size_t at = 0; at < text.size();) {
        at += validUtf8Prefix(std::string_view(text).substr(at));
        if (at < text.size())
            text[at++] = 'a';
    }
}

/// Adds up the lengths of pieces.
struct PieceEnds : PieceSink {
    void take(const TextPiece& piece) override
    {
        ends.push_back((ends.empty() ? 0 : ends.back()) + piece.text.size());
    }
    std::vector<std::size_t> ends;
};

/// Where the pieces of the text end; empty if they are not the text itself.
std::vector<std::size_t> endsOfPieces(const PreTokenizer& words, const std::string& text)
{
    PieceEnds pieces;
    words.split({text, true}, pieces);
    const std::size_t added = pieces.ends.empty() ? 0 : pieces.ends.back() - text.size();
    if (added == 1) { // a space in front
        for (std::size_t& end : pieces.ends)
            --end;
    }
    return added <= 1 ? std::move(pieces.ends) : std::vector<std::size_t>();
}

/// A space in front begins a word. Bytes of a text are foreign.
std::string readable(std::string_view text)
{
    if (text == "\n")
        return "##\u21B5";
    const bool beginsWord = text.size() > 1 && text.starts_with(' ');
    return (beginsWord ? "" : "##") + sanitizeText(text.substr(beginsWord ? 1 : 0));
}

std::string withSpaces(const std::string& token)
{
    constexpr std::string_view kSpace = "\u2581";
    if (token.size() == 6 && token.starts_with("<0x") && token.ends_with('>')) {
        if (const auto byte = parsedNumber<std::uint32_t>(std::string_view(token).substr(3, 2), 16))
            return std::string(1, static_cast<char>(*byte));
    }
    std::string text;
    for (std::size_t at = 0; at < token.size();) {
        const bool isSpace = std::string_view(token).substr(at).starts_with(kSpace);
        text += isSpace ? ' ' : token[at];
        at += isSpace ? kSpace.size() : 1;
    }
    return text;
}

} // namespace

ByteSpelling::ByteSpelling(const std::vector<std::string>& tokens, PreTokenizer words)
    : m_words(std::move(words))
{
    for (const std::string& token : tokens)
        m_bytes.push_back(bytesSpelledBy(token).value_or(token));
}

void ByteSpelling::findWords(std::span<const std::int32_t> tokens, std::vector<bool>& starts) const
{
    starts.assign(tokens.size(), false);
    std::string text = decode(tokens);
    hideTornCharacters(text);
    const std::vector<std::size_t> ends =
        text.empty() ? std::vector<std::size_t>() : endsOfPieces(m_words, text);
    std::size_t at = 0;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        starts[i] = i == 0 || ends.empty() || std::ranges::binary_search(ends, at);
        at += bytesOf(tokens[i]).size();
    }
}

std::string ByteSpelling::shown(std::int32_t token) const
{
    return readable(bytesOf(token));
}

std::string ByteSpelling::decode(std::span<const std::int32_t> tokens) const
{
    std::string text;
    for (const std::int32_t token : tokens)
        text += bytesOf(token);
    return text;
}

MetaspaceSpelling::MetaspaceSpelling(const std::vector<std::string>& tokens)
{
    std::ranges::transform(tokens, std::back_inserter(m_texts), withSpaces);
}

void MetaspaceSpelling::findWords(std::span<const std::int32_t> tokens, std::vector<bool>& starts) const
{
    starts.resize(tokens.size());
    for (std::size_t i = 0; i < tokens.size(); ++i)
        starts[i] = i == 0 || m_texts[static_cast<std::size_t>(tokens[i])].starts_with(' ');
}

std::string MetaspaceSpelling::shown(std::int32_t token) const
{
    return readable(m_texts[static_cast<std::size_t>(token)]);
}

std::string MetaspaceSpelling::decode(std::span<const std::int32_t> tokens) const
{
    std::string text;
    for (const std::int32_t token : tokens)
        text += m_texts[static_cast<std::size_t>(token)];
    return text.starts_with(' ') ? text.substr(1) : text;
}

} // namespace trainyard
