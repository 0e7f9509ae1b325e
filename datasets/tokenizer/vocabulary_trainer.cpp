#include "datasets/tokenizer/vocabulary_trainer.h"

#include <algorithm>
#include <array>
#include <map>
#include <queue>
#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace trainyard {

namespace {

using PieceId = std::uint32_t;
using Pair = std::pair<PieceId, PieceId>;

constexpr std::array<std::string_view, 5> kSpecial{"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"};
constexpr std::string_view kContinuation = "##";

struct Word {
    std::vector<PieceId> pieces;
    std::uint64_t count = 0;
};

/// The characters of a word, each as its own UTF-8 string.
std::vector<std::string_view> charactersOf(std::string_view word)
{
    std::vector<std::string_view> characters;
    for (std::size_t at = 0; at < word.size();) {
        const std::size_t bytes = decodeUtf8(word, at).bytes;
        characters.push_back(word.substr(at, bytes));
        at += bytes;
    }
    return characters;
}

using SortedCounts = std::vector<std::pair<std::string_view, std::uint64_t>>;

SortedCounts sorted(const WordCounts& counts)
{
    SortedCounts out(counts.begin(), counts.end());
    std::sort(out.begin(), out.end());
    return out;
}

std::set<std::string_view> frequentCharacters(const SortedCounts& words, std::size_t limit)
{
    std::map<std::string_view, std::uint64_t> counts;
    for (const auto& [word, count] : words) {
        for (const std::string_view character : charactersOf(word))
            counts[character] += count;
    }
    std::vector<std::pair<std::string_view, std::uint64_t>> ranked(counts.begin(), counts.end());
    std::stable_sort(ranked.begin(), ranked.end(),
                     [](const auto& a, const auto& b) { return a.second > b.second; });
    ranked.resize(std::min(limit, ranked.size()));
    std::set<std::string_view> out;
    for (const auto& [character, count] : ranked)
        out.insert(character);
    return out;
}

/// Byte-pair merging over words, with the words of every pair remembered so that a merge touches only those.
class Merger {
public:
    Merger(const SortedCounts& words, std::size_t alphabetLimit)
    {
        const auto alphabet = frequentCharacters(words, alphabetLimit);
        for (const std::string_view character : alphabet)
            idOf(std::string(character));
        for (const auto& [text, count] : words)
            addWord(text, count, alphabet);
        for (std::uint32_t word = 0; word < m_words.size(); ++word)
            countPairs(word, +1);
        for (const auto& [pair, figures] : m_pairs)
            m_queue.push({figures.count, pair});
    }

    std::size_t pieces() const { return m_names.size(); }
    const std::vector<std::string>& names() const { return m_names; }

    /// False when no pair is frequent enough.
    bool mergeBest(std::uint64_t leastFrequency)
    {
        while (!m_queue.empty()) {
            const Candidate best = m_queue.top();
            m_queue.pop();
            const auto found = m_pairs.find(best.pair);
            const std::uint64_t count = found == m_pairs.end() ? 0 : found->second.count;
            if (count < leastFrequency)
                continue;
            if (count == best.count) {
                merge(best.pair);
                return true;
            }
            m_queue.push({count, best.pair}); // its count fell since it was queued
        }
        return false;
    }

private:
    struct PairFigures {
        std::uint64_t count = 0;
        std::set<std::uint32_t> words;
    };
    struct Candidate {
        std::uint64_t count;
        Pair pair;
        /// Most frequent first, then the older pieces.
        bool operator<(const Candidate& other) const
        {
            return count != other.count ? count < other.count : pair > other.pair;
        }
    };

    PieceId idOf(const std::string& name)
    {
        const auto [place, isNew] = m_ids.emplace(name, static_cast<PieceId>(m_names.size()));
        if (isNew)
            m_names.push_back(name);
        return place->second;
    }

    void addWord(std::string_view text, std::uint64_t count, const std::set<std::string_view>& alphabet)
    {
        Word word;
        word.count = count;
        for (const std::string_view character : charactersOf(text)) {
            if (!alphabet.contains(character))
                return;
            word.pieces.push_back(
                idOf(std::string(word.pieces.empty() ? "" : kContinuation) + std::string(character)));
        }
        m_words.push_back(std::move(word));
    }

    void countPairs(std::uint32_t index, int sign)
    {
        const Word& word = m_words[index];
        for (std::size_t i = 0; i + 1 < word.pieces.size(); ++i) {
            const Pair pair{word.pieces[i], word.pieces[i + 1]};
            PairFigures& figures = m_pairs[pair];
            figures.count += sign > 0 ? word.count : 0 - word.count;
            if (sign < 0)
                continue;
            figures.words.insert(index);
            m_touched.insert(pair);
        }
    }

    void merge(const Pair& pair)
    {
        const std::string tail = m_names[pair.second].substr(kContinuation.size());
        const PieceId merged = idOf(m_names[pair.first] + tail);
        const std::set<std::uint32_t> words = std::move(m_pairs[pair].words);
        m_touched.clear();
        for (const std::uint32_t index : words) {
            countPairs(index, -1);
            replacePair(m_words[index].pieces, pair, merged);
            countPairs(index, +1);
        }
        m_pairs.erase(pair);
        for (const Pair& touched : m_touched) {
            if (touched != pair)
                m_queue.push({m_pairs[touched].count, touched});
        }
    }

    static void replacePair(std::vector<PieceId>& pieces, const Pair& pair, PieceId merged)
    {
        std::size_t out = 0;
        for (std::size_t i = 0; i < pieces.size(); ++i) {
            const bool here =
                i + 1 < pieces.size() && pieces[i] == pair.first && pieces[i + 1] == pair.second;
            pieces[out++] = here ? merged : pieces[i];
            i += here ? 1 : 0;
        }
        pieces.resize(out);
    }

    std::vector<Word> m_words;
    std::vector<std::string> m_names;
    std::map<std::string, PieceId> m_ids;
    std::map<Pair, PairFigures> m_pairs;
    std::set<Pair> m_touched; ///< pairs whose count rose in the current merge
    std::priority_queue<Candidate> m_queue;
};

} // namespace

void countWords(const TextNormalizer& normalizer, std::string_view text, WordCounts& counts)
{
    normalizer.forEachWord(text, [&](std::string_view word) {
        if (!word.empty())
            ++counts[std::string(word)];
    });
}

Result<std::string> trainVocabulary(const WordCounts& counts, const VocabularyTraining& training,
                                    const std::function<bool()>& stopped)
{
    Merger merger(sorted(counts), training.alphabet);
    const std::size_t fewest = merger.pieces() + kSpecial.size();
    if (training.size < fewest)
        return badInput(
            fmt::format("a vocabulary of {} pieces cannot hold the {} single characters of the text",
                        training.size, fewest),
            fmt::format("ask for {} pieces or more", fewest));
    while (merger.pieces() + kSpecial.size() < training.size && merger.mergeBest(training.leastFrequency)) {
        if (stopped())
            return cancelled("stopped while the vocabulary was made");
    }
    std::string out;
    for (const std::string_view special : kSpecial)
        out.append(special).append("\n");
    for (const std::string& name : merger.names())
        out.append(name).append("\n");
    return out;
}

} // namespace trainyard
