#include "datasets/verification/piece_check.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "datasets/pretraining/masking.h"

namespace trainyard {

PieceCheck::PieceCheck(const Vocabulary& vocabulary, const UnicodeTables& tables, bool cased)
    : m_vocabulary(vocabulary)
    , m_tokenizer(vocabulary, tables, cased)
    , m_continuing(continuingPieces(vocabulary))
{
}

void PieceCheck::add(const Instance& instance)
{
    m_plain = instance.tokens;
    for (std::size_t i = 0; i < instance.maskedIds.size(); ++i)
        m_plain[static_cast<std::size_t>(instance.maskedPositions[i])] = instance.maskedIds[i];
    std::size_t begin = 0; // of the word under way; 0 = none that is complete
    for (std::size_t at = 1; at < m_plain.size(); ++at) {
        const bool special = m_vocabulary.isSpecial(m_plain[at]);
        if (!special && m_continuing[static_cast<std::size_t>(m_plain[at])])
            continue;
        if (begin > 0 && !special && at - begin > 1)
            addWord(begin, at);
        begin = special || m_vocabulary.isSpecial(m_plain[at - 1]) ? 0 : at;
    }
}

void PieceCheck::addWord(std::size_t begin, std::size_t end)
{
    const std::vector<std::int32_t> ids(m_plain.begin() + static_cast<std::ptrdiff_t>(begin),
                                        m_plain.begin() + static_cast<std::ptrdiff_t>(end));
    const std::string word = m_vocabulary.decode(ids);
    m_again.clear();
    m_tokenizer.encode(word, m_again);
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
