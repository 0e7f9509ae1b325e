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

std::size_t characters(std::string_view text)
{
    std::size_t count = 0;
    for (std::size_t at = 0; at < text.size(); ++count)
        at += decodeUtf8(text, at).bytes;
    return count;
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

template <typename Piece>
bool WordPiece::cutWord(std::string_view word, Piece piece) const
{
    bool known = !word.empty();
    PieceTrie::State from = PieceTrie::kRoot;
    while (known && !word.empty()) {
        const PieceTrie::Match match = m_trie.longest(from, word);
        known = match.id != PieceTrie::kNone;
        if (!known)
            break;
        piece(match.id, match.bytes);
        word.remove_prefix(match.bytes);
        from = m_continuation;
        known = m_hasContinuations || word.empty();
    }
    return known;
}

void WordPiece::encodeWord(std::string_view word, std::vector<std::int32_t>& ids) const
{
    const std::size_t before = ids.size();
    if (cutWord(word, [&](std::int32_t id, std::size_t) { ids.push_back(id); }))
        return;
    ids.resize(before);
    ids.push_back(m_unknown);
}

void WordPiece::encodeAligned(std::string_view text, std::vector<AlignedPiece>& pieces) const
{
    m_normalizer.forEachPlacedWord(text, [&](std::string_view word, const TextNormalizer::WordPlace& of) {
        const auto [begin, end] = of;
        const std::string_view source = text.substr(begin, end - begin);
        const bool isOneToOne = characters(word) == characters(source);
        const std::size_t before = pieces.size();
        std::size_t inWord = 0;
        std::size_t place = 0;
        const auto add = [&](std::int32_t id, std::size_t bytes) {
            const std::size_t first = place;
            for (std::size_t count = characters(word.substr(inWord, bytes)); isOneToOne && count > 0; --count)
                place += decodeUtf8(source, place).bytes;
            inWord += bytes;
            pieces.push_back(isOneToOne ? AlignedPiece{id, begin + first, begin + place}
                                        : AlignedPiece{id, begin, end});
        };
        if (cutWord(word, add))
            return;
        pieces.resize(before);
        pieces.push_back({m_unknown, begin, end});
    });
}

} // namespace trainyard
