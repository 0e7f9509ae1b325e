#include "datasets/verification/token_counts.h"

#include <algorithm>
#include <numeric>
#include <set>

namespace trainyard {

namespace {

bool isFrame(std::int32_t id, const SpecialTokens& special)
{
    return id == special.classify || id == special.separator || id == special.pad ||
           id == special.documentEnd;
}

} // namespace

void TokenCounts::add(const Instance& instance)
{
    for (const std::int32_t token : instance.tokens)
        ++m_counts[static_cast<std::size_t>(token)];
    for (std::size_t i = 0; i < instance.maskedIds.size(); ++i) {
        --m_counts[static_cast<std::size_t>(
            instance.tokens[static_cast<std::size_t>(instance.maskedPositions[i])])];
        ++m_counts[static_cast<std::size_t>(instance.maskedIds[i])];
    }
}

std::uint64_t TokenCounts::text(const SpecialTokens& special) const
{
    std::uint64_t count = std::accumulate(m_counts.begin(), m_counts.end(), std::uint64_t{0});
    for (const std::int32_t id :
         std::set{special.classify, special.separator, special.pad, special.documentEnd})
        count -= of(id);
    return count;
}

std::uint64_t TokenCounts::used() const
{
    return m_counts.size() -
           static_cast<std::uint64_t>(std::count(m_counts.begin(), m_counts.end(), std::uint64_t{0}));
}

std::vector<TokenCounts::Entry> TokenCounts::mostFrequent(std::size_t count,
                                                          const SpecialTokens& special) const
{
    std::vector<Entry> entries;
    for (std::size_t id = 0; id < m_counts.size(); ++id) {
        if (m_counts[id] > 0 && !isFrame(static_cast<std::int32_t>(id), special))
            entries.push_back({static_cast<std::int32_t>(id), m_counts[id]});
    }
    const auto end = entries.begin() + static_cast<std::ptrdiff_t>(std::min(count, entries.size()));
    std::partial_sort(entries.begin(), end, entries.end(), [](const Entry& a, const Entry& b) {
        return a.count != b.count ? a.count > b.count : a.id < b.id;
    });
    entries.erase(end, entries.end());
    return entries;
}

} // namespace trainyard
