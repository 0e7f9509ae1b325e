#include "datasets/tokenizer_json/added_tokens.h"

#include <algorithm>

#include "datasets/tokenizer_json/white_space.h"
#include "engine/base/utf8.h"

namespace trainyard {

namespace {

std::vector<std::string> contentsOf(const std::vector<AddedToken>& tokens)
{
    std::vector<std::string> contents;
    for (const AddedToken& token : tokens)
        contents.push_back(token.content);
    return contents;
}

} // namespace

AddedTokens::AddedTokens(std::vector<AddedToken> tokens)
    : m_tokens(std::move(tokens)), m_trie(contentsOf(m_tokens))
{
    for (const AddedToken& token : m_tokens)
        m_begins[static_cast<unsigned char>(token.content.front())] = true;
    if (std::ranges::any_of(m_tokens, &AddedToken::singleWord))
        m_word = codePointsWith("RustWord").value();
}

AddedTokens::Found AddedTokens::find(std::string_view text, std::size_t from) const
{
    if (m_tokens.empty())
        return {};
    for (std::size_t at = from; at < text.size(); ++at) {
        if (!m_begins[static_cast<unsigned char>(text[at])])
            continue;
        const PieceTrie::Match match = m_trie.longest(PieceTrie::kRoot, text.substr(at));
        if (match.id != PieceTrie::kNone)
            return {&m_tokens[static_cast<std::size_t>(match.id)], at, at + match.bytes};
    }
    return {};
}

/// `done` is where the token before ends.
AddedTokens::Span AddedTokens::spanOf(const AddedToken& token, std::string_view text, const Found& found,
                                      std::size_t done) const
{
    const std::string_view before = text.substr(0, found.begin), after = text.substr(found.end);
    if (token.singleWord && ((!before.empty() && m_word.contains(lastCodePoint(before))) ||
                             (!after.empty() && m_word.contains(decodeUtf8(after, 0).code))))
        return {};
    Span span{true, found.begin, found.end};
    if (token.leftStrip)
        span.begin = std::max(done, found.begin - whiteSpaceAtEnd(before));
    if (token.rightStrip)
        span.end += whiteSpaceAtStart(after);
    return span;
}

} // namespace trainyard
