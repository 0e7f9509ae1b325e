#include "datasets/verification/piece_check.h"

#include <algorithm>
#include <span>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace trainyard {

PieceCheck::PieceCheck(const RowTokenizer& tokenizer)
    : m_vocabulary(tokenizer.vocabulary), m_encoder(tokenizer.tokenizer->encoder())
{
}

void PieceCheck::add(const Instance& instance)
{
    m_plain = instance.tokens;
    for (std::size_t i = 0; i < instance.maskedIds.size(); ++i)
        m_plain[static_cast<std::size_t>(instance.maskedPositions[i])] = instance.maskedIds[i];
    std::size_t begin = 0;
    for (std::size_t at = 0; at <= m_plain.size(); ++at) {
        if (at < m_plain.size() && !m_vocabulary.isSpecial(m_plain[at]))
            continue;
        if (at > begin)
            addText(begin, at);
        begin = at + 1;
    }
}

/// Between special tokens.
void PieceCheck::addText(std::size_t begin, std::size_t end)
{
    m_vocabulary.findWords(std::span(m_plain).subspan(begin, end - begin), m_starts);
    std::size_t word = begin;
    for (std::size_t at = begin + 1; at < end; ++at) {
        if (!m_starts[at - begin])
            continue;
        if (word > begin && at - word > 1)
            addWord(word, at);
        word = at;
    }
}

void PieceCheck::addWord(std::size_t begin, std::size_t end)
{
    const std::vector<std::int32_t> ids(m_plain.begin() + static_cast<std::ptrdiff_t>(begin),
                                        m_plain.begin() + static_cast<std::ptrdiff_t>(end));
    const std::string word = m_vocabulary.decode(ids);
    m_again.clear();
    m_encoder->encode(word, m_again);
    ++m_words;
    if (m_again == ids)
        return;
    if (m_differing++ == 0)
        m_example = fmt::format("\"{}\" is {} in the rows and {} when tokenized again", word,
                                fmt::join(ids, " "), fmt::join(m_again, " "));
}

std::optional<std::string> PieceCheck::problem() const
{
    if (m_differing * 100 <= m_words)
        return std::nullopt;
    return fmt::format("{} of {} words of several pieces get other ids when tokenized again: {}; the "
                       "vocabulary differs from the one used for the rows",
                       m_differing, m_words, m_example);
}

} // namespace trainyard
