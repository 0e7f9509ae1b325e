#include "datasets/tokenizer/wordpiece.h"

namespace trainyard {

namespace {

std::vector<std::string> ordinaryPieces(const Vocabulary& vocabulary)
{
    std::vector<std::string> pieces = vocabulary.pieces();
    for (std::size_t id = 0; id < pieces.size(); ++id) {
        if (vocabulary.isSpecial(static_cast<std::int32_t>(id)))
            pieces[id].clear();
    }
    return pieces;
}

} // namespace

WordPiece::WordPiece(const Vocabulary& vocabulary, const UnicodeTables& tables, bool cased)
    : m_normalizer(tables, cased), m_trie(ordinaryPieces(vocabulary)), m_unknown(vocabulary.special().unknown)
{
    m_hasContinuations = m_trie.step(m_continuation, "##");
}

void WordPiece::encode(std::string_view text, std::vector<std::int32_t>& ids) const
{
    m_normalizer.forEachWord(text, [&](std::string_view word) { encodeWord(word, ids); });
}

void WordPiece::encodeWord(std::string_view word, std::vector<std::int32_t>& ids) const
{
    const std::size_t before = ids.size();
    bool known = !word.empty();
    PieceTrie::State from = PieceTrie::kRoot;
    while (known && !word.empty()) {
        const PieceTrie::Match match = m_trie.longest(from, word);
        known = match.id != PieceTrie::kNone;
        if (!known)
            break;
        ids.push_back(match.id);
        word.remove_prefix(match.bytes);
        from = m_continuation;
        known = m_hasContinuations || word.empty();
    }
    if (known)
        return;
    ids.resize(before);
    ids.push_back(m_unknown);
}

} // namespace trainyard
