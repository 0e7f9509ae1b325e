#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace trainyard {

/// How often rows are made of each document of a list: the same number of passes for all, or one for each.
/// Immutable; any thread.
class PassCounts {
public:
    PassCounts(std::uint32_t ofAll) : m_ofAll(ofAll) {}
    explicit PassCounts(std::vector<std::uint32_t> ofEach) : m_ofAll(0), m_ofEach(std::move(ofEach)) {}

    std::uint32_t at(std::size_t place) const { return m_ofEach.empty() ? m_ofAll : m_ofEach[place]; }
    std::uint32_t most() const
    {
        return m_ofEach.empty() ? m_ofAll : *std::max_element(m_ofEach.begin(), m_ofEach.end());
    }
    /// Of the first documents of the list.
    std::uint64_t ofFirst(std::size_t documents) const
    {
        std::uint64_t sum = 0;
        for (std::size_t place = 0; place < documents; ++place)
            sum += at(place);
        return sum;
    }

private:
    std::uint32_t m_ofAll;
    std::vector<std::uint32_t> m_ofEach;
};

} // namespace trainyard
