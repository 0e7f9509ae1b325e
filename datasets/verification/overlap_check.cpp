#include "datasets/verification/overlap_check.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace trainyard {

double OverlapCheck::Moments::standardError() const
{
    if (count < 2)
        return 0;
    const double variance = (squares - sum * sum / count) / (count - 1);
    return std::sqrt(std::max(0.0, variance) / count);
}

void OverlapCheck::add(const Instance& instance)
{
    m_plain = instance.tokens;
    for (std::size_t i = 0; i < instance.maskedIds.size(); ++i)
        m_plain[static_cast<std::size_t>(instance.maskedPositions[i])] = instance.maskedIds[i];
    ++m_row;
    for (std::size_t i = 1; i + 1 < instance.firstSegment; ++i) {
        std::uint64_t& seen = m_seen[static_cast<std::size_t>(m_plain[i])];
        m_distinct += seen == 0 ? 1 : 0;
        seen = m_row;
    }
    const std::size_t end = m_plain.size() - 1;
    double shared = 0;
    for (std::size_t i = instance.firstSegment; i < end; ++i)
        shared += m_seen[static_cast<std::size_t>(m_plain[i])] == m_row ? 1 : 0;
    const double share = shared / static_cast<double>(end - instance.firstSegment);
    Moments& moments = instance.randomNext ? m_random : m_follows;
    moments.count += 1;
    moments.sum += share;
    moments.squares += share * share;
}

std::optional<std::string> OverlapCheck::problem() const
{
    constexpr double kLimit = 5; // standard errors
    // Documents that are made of the same few sentences share more with each other than each with itself.
    constexpr std::size_t kMinWords = 500;
    constexpr double kMinRows = 100; // of either label; documents of one sentence give none with label 0
    if (m_distinct < kMinWords || std::min(m_follows.count, m_random.count) < kMinRows)
        return std::nullopt;
    const double error = std::hypot(m_follows.standardError(), m_random.standardError());
    constexpr double kMinRatio = 1.05; // of many rows even a difference without meaning is significant
    if (m_random.mean() <= std::max(m_follows.mean() + kLimit * error, kMinRatio * m_follows.mean()))
        return std::nullopt;
    return fmt::format("{:.1f} % of B's tokens occur in A where the label says that B is random, but {:.1f} "
                       "% where it says that B follows; the labels are inverted",
                       100 * m_random.mean(), 100 * m_follows.mean());
}

} // namespace trainyard
