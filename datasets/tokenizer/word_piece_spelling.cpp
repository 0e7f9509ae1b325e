#include "datasets/tokenizer/word_piece_spelling.h"

#include <string_view>

namespace trainyard {

WordPieceSpelling::WordPieceSpelling(std::vector<std::string> tokens, std::string prefix)
    : m_tokens(std::move(tokens)), m_prefix(std::move(prefix))
{
    for (const std::string& token : m_tokens)
        m_continues.push_back(!m_prefix.empty() && token.starts_with(m_prefix));
}

void WordPieceSpelling::findWords(std::span<const std::int32_t> tokens, std::vector<bool>& starts) const
{
    starts.resize(tokens.size());
    for (std::size_t i = 0; i < tokens.size(); ++i)
        starts[i] = i == 0 || !m_continues[static_cast<std::size_t>(tokens[i])];
}

std::string WordPieceSpelling::decode(std::span<const std::int32_t> tokens) const
{
    std::string out;
    for (const std::int32_t id : tokens) {
        const std::string_view text = m_tokens[static_cast<std::size_t>(id)];
        if (m_continues[static_cast<std::size_t>(id)] && text.size() > m_prefix.size())
            out += text.substr(m_prefix.size());
        else
            out.append(out.empty() ? "" : " ").append(text);
    }
    return out;
}

} // namespace trainyard
