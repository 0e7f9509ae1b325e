#include "datasets/tokenizer/pair_trainer.h"

#include <algorithm>

namespace trainyard {

PairTrainer::PieceId PairTrainer::pieceOf(const std::string& name)
{
    const auto [place, isNew] = m_ids.emplace(name, static_cast<PieceId>(m_names.size()));
    if (isNew)
        m_names.push_back(name);
    return place->second;
}

void PairTrainer::addWord(std::vector<PieceId> pieces, std::uint64_t count)
{
    const auto word = static_cast<std::uint32_t>(m_words.size());
    m_words.push_back({std::move(pieces), count});
    const auto& added = m_words.back().pieces;
    for (std::size_t i = 0; i + 1 < added.size(); ++i)
        add({added[i], added[i + 1]}, word);
}

std::optional<PairTrainer::Pair> PairTrainer::mergeBest(std::uint64_t leastFrequency)
{
    queueTouched();
    while (!m_queue.empty()) {
        const Candidate best = m_queue.top();
        m_queue.pop();
        const auto found = m_pairs.find(best.pair);
        const std::uint64_t count = found == m_pairs.end() ? 0 : found->second.count;
        if (count < leastFrequency || count == 0)
            continue;
        if (count == best.count) {
            merge(best.pair);
            return best.pair;
        }
        m_queue.push({count, best.pair}); // its count fell since it was queued
    }
    return std::nullopt;
}

void PairTrainer::add(const Pair& pair, std::uint32_t word)
{
    PairFigures& figures = m_pairs[pair];
    figures.count += m_words[word].count;
    if (figures.words.empty() || figures.words.back() != word)
        figures.words.push_back(word);
    m_touched.push_back(pair);
}

void PairTrainer::queueTouched()
{
    std::sort(m_touched.begin(), m_touched.end());
    m_touched.erase(std::unique(m_touched.begin(), m_touched.end()), m_touched.end());
    for (const Pair& pair : m_touched)
        m_queue.push({m_pairs[pair].count, pair});
    m_touched.clear();
}

void PairTrainer::merge(const Pair& pair)
{
    const PieceId merged = pieceOf(m_join(m_names[pair.first], m_names[pair.second]));
    std::vector<std::uint32_t> words = std::move(m_pairs[pair].words);
    std::sort(words.begin(), words.end());
    words.erase(std::unique(words.begin(), words.end()), words.end());
    for (const std::uint32_t word : words)
        replacePair(word, pair, merged);
    m_pairs.erase(pair);
}

/// From left to right; only the pairs with the neighbours change.
void PairTrainer::replacePair(std::uint32_t word, const Pair& pair, PieceId merged)
{
    std::vector<PieceId>& pieces = m_words[word].pieces;
    std::size_t out = 0;
    for (std::size_t i = 0; i < pieces.size(); ++i) {
        if (i + 1 == pieces.size() || pieces[i] != pair.first || pieces[i + 1] != pair.second) {
            pieces[out++] = pieces[i];
            continue;
        }
        if (out > 0) {
            takeAway({pieces[out - 1], pair.first}, word);
            add({pieces[out - 1], merged}, word);
        }
        if (i + 2 < pieces.size()) {
            takeAway({pair.second, pieces[i + 2]}, word);
            add({merged, pieces[i + 2]}, word);
        }
        pieces[out++] = merged;
        ++i;
    }
    pieces.resize(out);
}

} // namespace trainyard
