#include "datasets/input/burrows_wheeler.h"

#include <numeric>

namespace trainyard {

BurrowsWheelerInverse::BurrowsWheelerInverse(std::size_t longest)
    : m_links(std::make_unique_for_overwrite<std::uint32_t[]>(longest))
{
    for (auto& bytes : m_bytes)
        bytes = std::make_unique_for_overwrite<unsigned char[]>(longest);
}

void BurrowsWheelerInverse::invert(std::span<const unsigned char> last,
                                   const std::array<std::uint32_t, 256>& counts, std::uint32_t origin)
{
    m_size = last.size();
    m_origin = origin;
    makeLinks(last, counts);
    markBegins();

    std::array<Walker, kWalkers> walkers;
    bool allWalk = true;
    for (std::size_t i = 0; i < kWalkers; ++i) {
        walkers[i].out = m_bytes[i].get();
        allWalk = takePart(walkers[i]) && allWalk;
    }
    while (allWalk) {
        for (Walker& walker : walkers) {
            if (!step(walker)) [[unlikely]]
                allWalk = takePart(walker) && allWalk;
        }
    }
    for (Walker& walker : walkers) {
        while (walker.part) {
            if (!step(walker))
                takePart(walker);
        }
    }
}

/// The n-th row that begins with a byte follows the n-th row that ends with it.
void BurrowsWheelerInverse::makeLinks(std::span<const unsigned char> last,
                                      const std::array<std::uint32_t, 256>& counts)
{
    std::array<std::uint32_t, 256> place{};
    std::exclusive_scan(counts.begin(), counts.end(), place.begin(), 0u);
    for (std::uint32_t row = 0; row < last.size(); ++row)
        m_links[place[last[row]]++] = row << 8 | last[row];
}

/// At the origin and, as good as any, at equal distances.
void BurrowsWheelerInverse::markBegins()
{
    const std::size_t parts = std::min(kMostParts, m_size / 256 + 1);
    m_begins.assign(1, m_origin);
    for (std::size_t i = 0; i < parts; ++i)
        m_begins.push_back(static_cast<std::uint32_t>(i * m_size / parts));
    std::ranges::sort(m_begins);
    m_begins.erase(std::ranges::unique(m_begins).begin(), m_begins.end());
    for (const std::uint32_t row : m_begins)
        m_links[row] |= kBegin;
    m_parts.resize(m_begins.size());
    m_taken = 0;
}

/// False at the begin of another part.
inline bool BurrowsWheelerInverse::step(Walker& walker) const
{
    const std::uint32_t link = m_links[walker.row];
    if (link & kBegin) [[unlikely]]
        return false;
    *walker.out++ = static_cast<unsigned char>(link);
    walker.row = link >> 8;
    return true;
}

/// Ends the walker's part, and begins the next one that nobody has taken.
bool BurrowsWheelerInverse::takePart(Walker& walker)
{
    if (walker.part) {
        walker.part->size = static_cast<std::size_t>(walker.out - walker.part->bytes);
        walker.part->nextRow = walker.row;
        walker.part = nullptr;
    }
    if (m_taken == m_parts.size())
        return false;
    const std::uint32_t link = m_links[m_begins[m_taken]] & ~kBegin;
    walker.part = &m_parts[m_taken++];
    walker.part->bytes = walker.out;
    *walker.out++ = static_cast<unsigned char>(link);
    walker.row = link >> 8;
    return true;
}

const BurrowsWheelerInverse::Part& BurrowsWheelerInverse::partAt(std::uint32_t row) const
{
    const auto place = std::ranges::lower_bound(m_begins, row) - m_begins.begin();
    return m_parts[static_cast<std::size_t>(place)];
}

} // namespace trainyard
