#include "datasets/tokenizer/vocabulary_trainer.h"

#include <algorithm>
#include <array>
#include <map>
#include <queue>
#include <set>
#include <unordered_map>
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

using StopAsked = std::function<bool()>;

/// Incomplete when `stopped` said so.
std::set<std::string_view> frequentCharacters(const SortedCounts& words, std::size_t limit,
                                              const StopAsked& stopped)
{
    std::map<std::string_view, std::uint64_t> counts;
    for (const auto& [word, count] : words) {
        if (stopped())
            break;
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
    /// Of no use when `stopped` said so meanwhile.
    Merger(const SortedCounts& words, std::size_t alphabetLimit, const StopAsked& stopped)
    {
        const auto alphabet = frequentCharacters(words, alphabetLimit, stopped);
        for (const std::string_view character : alphabet)
            idOf(std::string(character));
        for (const auto& [text, count] : words) {
            if (stopped())
                return;
            addWord(text, count, alphabet);
        }
        for (std::uint32_t word = 0; word < m_words.size() && !stopped(); ++word) {
            const auto& pieces = m_words[word].pieces;
            for (std::size_t i = 0; i + 1 < pieces.size(); ++i)
                add({pieces[i], pieces[i + 1]}, word);
        }
        queueTouched();
    }

    std::size_t pieces() const { return m_names.size(); }
    const std::vector<std::string>& names() const { return m_names; }

    /// False if no pair is frequent enough.
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
        std::vector<std::uint32_t> words; ///< that hold it, or held it once; some of them repeated
    };
    struct PairHash {
        std::size_t operator()(const Pair& pair) const
        {
            const std::uint64_t both = std::uint64_t(pair.first) << 32 | pair.second;
            return both * 0x9E3779B97F4A7C15u >> 16;
        }
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

    void add(const Pair& pair, std::uint32_t word)
    {
        PairFigures& figures = m_pairs[pair];
        figures.count += m_words[word].count;
        if (figures.words.empty() || figures.words.back() != word)
            figures.words.push_back(word);
        m_touched.push_back(pair);
    }

    void takeAway(const Pair& pair, std::uint32_t word) { m_pairs[pair].count -= m_words[word].count; }

    /// Pairs whose count rose.
    void queueTouched()
    {
        std::sort(m_touched.begin(), m_touched.end());
        m_touched.erase(std::unique(m_touched.begin(), m_touched.end()), m_touched.end());
        for (const Pair& pair : m_touched)
            m_queue.push({m_pairs[pair].count, pair});
        m_touched.clear();
    }

    void merge(const Pair& pair)
    {
        const std::string tail = m_names[pair.second].substr(kContinuation.size());
        const PieceId merged = idOf(m_names[pair.first] + tail);
        std::vector<std::uint32_t> words = std::move(m_pairs[pair].words);
        std::sort(words.begin(), words.end());
        words.erase(std::unique(words.begin(), words.end()), words.end());
        for (const std::uint32_t word : words)
            replacePair(word, pair, merged);
        m_pairs.erase(pair);
        queueTouched();
    }

    /// From left to right; only the pairs with the neighbours change.
    void replacePair(std::uint32_t word, const Pair& pair, PieceId merged)
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

    std::vector<Word> m_words;
    std::vector<std::string> m_names;
    std::unordered_map<std::string, PieceId> m_ids;
    std::unordered_map<Pair, PairFigures, PairHash> m_pairs;
    std::vector<Pair> m_touched;
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

void addCounts(const WordCounts& more, std::size_t mostWords, WordCounts& counts)
{
    for (const auto& [word, count] : more)
        counts[word] += count;
    if (counts.size() <= mostWords)
        return;
    for (std::uint64_t rarest = 1; counts.size() > mostWords / 2; ++rarest)
        std::erase_if(counts, [&](const auto& item) { return item.second <= rarest; });
}

Result<std::string> trainVocabulary(const WordCounts& counts, const VocabularyTraining& training,
                                    const std::function<bool()>& stopped)
{
    Merger merger(sorted(counts), training.alphabet, stopped);
    if (stopped())
        return cancelled("stopped while training the vocabulary");
    const std::size_t fewest = merger.pieces() + kSpecial.size();
    if (training.size < fewest)
        return badInput(
            fmt::format("a vocabulary of {} pieces cannot hold the {} single characters of the text",
                        training.size, fewest),
            fmt::format("request at least {} pieces", fewest));
    while (merger.pieces() + kSpecial.size() < training.size && merger.mergeBest(training.leastFrequency)) {
        if (stopped())
            return cancelled("stopped while training the vocabulary");
    }
    std::string out;
    for (const std::string_view special : kSpecial)
        out.append(special).append("\n");
    for (const std::string& name : merger.names())
        out.append(name).append("\n");
    return out;
}

} // namespace trainyard
