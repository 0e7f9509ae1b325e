#pragma once

#include <cstdint>
#include <vector>

#include "datasets/tokenizer_json/merge_table.h"

namespace trainyard {

/// Merges neighbouring tokens until no pair of them is in the table: always the pair with the lowest rank, of
/// equal ones the leftmost (Sennrich et al., "Neural Machine Translation of Rare Words with Subword Units",
/// ACL 2016). For one thread; keeps its memory.
class PairMerger {
public:
    /// Merges the last ids, from ids[begin] on. Time n log n in their number.
    void merge(const MergeTable& table, std::vector<std::int32_t>& ids, std::size_t begin);

private:
    struct Token {
        std::int32_t id;
        std::uint32_t previous;
        std::uint32_t next;
    };
    struct Candidate {
        std::uint32_t rank;
        std::uint32_t left; ///< place of the left token
        std::int32_t id;
        /// For std::push_heap, whose top is the largest.
        bool operator<(const Candidate& other) const
        {
            return rank != other.rank ? rank > other.rank : left > other.left;
        }
    };

    void mergeFew(const MergeTable& table, std::vector<std::int32_t>& ids, std::size_t begin);
    void mergeMany(const MergeTable& table, std::vector<std::int32_t>& ids, std::size_t begin);
    void propose(const MergeTable& table, std::uint32_t left);

    std::vector<Token> m_tokens;
    std::vector<Candidate> m_candidates; ///< a heap
};

} // namespace trainyard
