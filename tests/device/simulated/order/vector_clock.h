#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace trainyard {

/// How much of each stream's work a stream, an event or the host has behind it: entry s is the number of the
/// last piece of work of stream s (Mattern, "Virtual time and global states of distributed systems", 1989).
class VectorClock {
public:
    std::uint64_t of(std::size_t stream) const { return stream < m_times.size() ? m_times[stream] : 0; }

    /// One more piece of work on the stream; its number.
    std::uint64_t tick(std::size_t stream)
    {
        m_times.resize(std::max(m_times.size(), stream + 1));
        return ++m_times[stream];
    }

    /// Behind everything that `other` has behind it.
    void join(const VectorClock& other)
    {
        m_times.resize(std::max(m_times.size(), other.m_times.size()));
        for (std::size_t stream = 0; stream < other.m_times.size(); ++stream)
            m_times[stream] = std::max(m_times[stream], other.m_times[stream]);
    }

private:
    std::vector<std::uint64_t> m_times;
};

} // namespace trainyard
