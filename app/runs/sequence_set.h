#pragma once

#include <cstdint>
#include <map>

namespace trainyard {

/// The sequence numbers of a stream seen so far. Stored as closed intervals, so a stream read from its start
/// costs one entry of any length.
class SequenceSet {
public:
    /// Inserts a number; returns false when it was present.
    bool insert(std::uint64_t sequence);
    /// Returns the set of all numbers from 1 to `last`.
    static SequenceSet upTo(std::uint64_t last);
    std::uint64_t size() const { return m_size; }

private:
    std::map<std::uint64_t, std::uint64_t> m_intervals; ///< first -> last
    std::uint64_t m_size = 0;
};

} // namespace trainyard
