#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace trainyard {

/// All pieces of a vocabulary as a double-array trie (Aoe, "An efficient digital search algorithm by using a
/// double-array structure", IEEE TSE 15(9), 1989): the child of state s for byte c is base[s] + c, and it is
/// one when check[base[s] + c] == s. One memory access per byte of text. Immutable; any thread may use it.
class PieceTrie {
public:
    using State = std::uint32_t;
    static constexpr std::int32_t kNone = -1;
    static constexpr State kRoot = 0;

    /// The id of a piece is its index; of repeated pieces the last one counts, empty strings are skipped.
    explicit PieceTrie(const std::vector<std::string>& pieces);

    struct Match {
        std::int32_t id = kNone;
        std::size_t bytes = 0;
    };
    /// Returns the longest piece that `text` starts with, continuing from a state set by step().
    Match longest(State from, std::string_view text) const;
    /// Follows all bytes of `text`; returns false if no piece starts with them.
    bool step(State& state, std::string_view text) const;

private:
    struct Node {
        std::uint32_t base = 0;
        std::uint32_t check = kUnused;
        std::int32_t id = kNone;
    };
    static constexpr std::uint32_t kUnused = 0xFFFFFFFF;

    struct Range;
    void insert(const Range& range, std::vector<Range>& children);
    std::uint32_t freeBase(const std::vector<Range>& children);

    std::vector<Node> m_nodes;
    std::size_t m_firstFree = 1; ///< start of the search for unused nodes
};

} // namespace trainyard
