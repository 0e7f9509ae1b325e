#pragma once

#include <cstdint>
#include <map>

namespace trainyard {

/// Which sequence numbers of a stream have been seen. Kept as closed intervals, so a stream read from its
/// start costs one entry, however long it is.
class SequenceSet {
public:
    /// False when the number was there already.
    bool insert(std::uint64_t sequence);
    /// All from 1 to `last`.
    static SequenceSet upTo(std::uint64_t last);
    std::uint64_t size() const { return m_size; }

private:
    std::map<std::uint64_t, std::uint64_t> m_intervals; ///< first -> last
    std::uint64_t m_size = 0;
};

} // namespace trainyard
