#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <queue>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace trainyard {

/// Byte pair encoding's training (Sennrich et al., "Neural Machine Translation of Rare Words with Subword
/// Units", ACL 2016): again and again the most frequent pair of neighbouring pieces becomes a piece. Ties are
/// decided by the age of the pieces, as in Hugging Face's trainers, so the result depends on the counts
/// alone. Every pair remembers its words, so that a merge touches only those. For one thread.
class PairTrainer {
public:
    using PieceId = std::uint32_t; ///< by age
    using Pair = std::pair<PieceId, PieceId>;
    /// The name of the piece that two others become.
    using Join = std::function<std::string(const std::string& left, const std::string& right)>;

    explicit PairTrainer(Join join) : m_join(std::move(join)) {}

    /// The piece of this name, a new one if there is none.
    PieceId pieceOf(const std::string& name);
    void addWord(std::vector<PieceId> pieces, std::uint64_t count);

    /// Merges the most frequent pair and returns it; nullopt if no pair is so frequent.
    std::optional<Pair> mergeBest(std::uint64_t leastFrequency);

    std::size_t pieces() const { return m_names.size(); }
    const std::vector<std::string>& names() const { return m_names; }

private:
    struct Word {
        std::vector<PieceId> pieces;
        std::uint64_t count = 0;
    };
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

    void add(const Pair& pair, std::uint32_t word);
    void takeAway(const Pair& pair, std::uint32_t word) { m_pairs[pair].count -= m_words[word].count; }
    void queueTouched();
    void merge(const Pair& pair);
    void replacePair(std::uint32_t word, const Pair& pair, PieceId merged);

    Join m_join;
    std::vector<Word> m_words;
    std::vector<std::string> m_names;
    std::unordered_map<std::string, PieceId> m_ids;
    std::unordered_map<Pair, PairFigures, PairHash> m_pairs;
    std::vector<Pair> m_touched; ///< whose count rose and that are not in the queue with it
    std::priority_queue<Candidate> m_queue;
};

} // namespace trainyard
