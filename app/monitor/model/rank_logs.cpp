#include "app/monitor/model/rank_logs.h"

#include <algorithm>
#include <limits>

namespace trainyard {

namespace {

constexpr std::int64_t kNoTime = std::numeric_limits<std::int64_t>::min();

} // namespace

void RankLogs::setRanks(const std::vector<int>& ranks)
{
    m_order.clear();
    m_sources.clear();
    for (const int rank : ranks)
        m_sources.push_back({rank, LogLines(LogLines::kMaxBytes / ranks.size())});
}

int RankLogs::append(int rank, const QByteArray& bytes)
{
    const auto found = std::ranges::find(m_sources, rank, &Source::rank);
    if (found == m_sources.end())
        return size();
    LogLines& lines = found->lines;
    const int drops = lines.drops();
    const int unfinished = std::max(0, lines.size() - 1);
    lines.append(bytes);
    const int from = lines.drops() == drops ? unfinished : 0;
    if (!isMerged())
        return from;
    const auto source = static_cast<std::uint32_t>(found - m_sources.begin());
    const int first = forget(source, from);
    return std::min(first, place(source, from));
}

/// Takes lines of a log out of the order; returns the first gap.
int RankLogs::forget(std::uint32_t source, std::int32_t from)
{
    Source& log = m_sources[source];
    if (static_cast<std::size_t>(from) >= log.times.size())
        return size();
    const auto first = std::ranges::lower_bound(m_order, Entry{source, from},
                                                [this](auto& a, auto& b) { return isBefore(a, b); });
    const auto gap = static_cast<int>(first - m_order.begin());
    m_order.erase(std::remove_if(first, m_order.end(),
                                 [&](const Entry& e) { return e.source == source && e.line >= from; }),
                  m_order.end());
    log.times.resize(static_cast<std::size_t>(from));
    return gap;
}

/// Puts lines of a log where they belong; returns the first that is new.
int RankLogs::place(std::uint32_t source, std::int32_t from)
{
    Source& log = m_sources[source];
    const auto known = static_cast<std::ptrdiff_t>(m_order.size());
    // A clock that was set back does not bring lines out of the order in which they were written.
    std::int64_t time = log.times.empty() ? kNoTime : log.times.back();
    for (std::int32_t line = from; line < log.lines.size(); ++line) {
        time = std::max(time, log.lines.timeMs(line).value_or(kNoTime));
        log.times.push_back(time);
        m_order.push_back({source, line});
    }
    const auto middle = m_order.begin() + known;
    if (middle == m_order.end())
        return size();
    const auto before = [this](const Entry& a, const Entry& b) { return isBefore(a, b); };
    const auto first = std::upper_bound(m_order.begin(), middle, *middle, before);
    std::inplace_merge(first, middle, m_order.end(), before);
    return static_cast<int>(first - m_order.begin());
}

std::int64_t RankLogs::timeOf(const Entry& entry) const
{
    return m_sources[entry.source].times[static_cast<std::size_t>(entry.line)];
}

bool RankLogs::isBefore(const Entry& a, const Entry& b) const
{
    return std::tuple(timeOf(a), a.source, a.line) < std::tuple(timeOf(b), b.source, b.line);
}

int RankLogs::size() const
{
    return isMerged() ? static_cast<int>(m_order.size()) : m_sources.front().lines.size();
}

QString RankLogs::text(int line) const
{
    return isMerged() ? m_sources[at(line).source].lines.text(at(line).line)
                      : m_sources.front().lines.text(line);
}

LogLevel RankLogs::level(int line) const
{
    return isMerged() ? m_sources[at(line).source].lines.level(at(line).line)
                      : m_sources.front().lines.level(line);
}

std::optional<std::int64_t> RankLogs::timeMs(int line) const
{
    if (isMerged())
        return timeOf(at(line)) == kNoTime ? std::nullopt : std::optional(timeOf(at(line)));
    for (; line >= 0; --line) {
        if (const auto time = m_sources.front().lines.timeMs(line))
            return time;
    }
    return std::nullopt;
}

int RankLogs::lineAt(std::int64_t timeMs) const
{
    if (!isMerged())
        return m_sources.front().lines.lineAt(timeMs);
    const auto after =
        std::ranges::partition_point(m_order, [&](const Entry& entry) { return timeOf(entry) <= timeMs; });
    return static_cast<int>(after - m_order.begin()) - 1;
}

std::vector<int> RankLogs::linesWith(std::string_view needle, int from) const
{
    if (!isMerged())
        return m_sources.front().lines.linesWith(needle, from);
    std::vector<std::optional<std::vector<int>>> matches(m_sources.size());
    std::vector<int> found;
    for (int line = from; !needle.empty() && line < size(); ++line) {
        auto& ofLog = matches[at(line).source];
        if (!ofLog) // its lines behind this one come behind it here too
            ofLog = m_sources[at(line).source].lines.linesWith(needle, at(line).line);
        if (std::ranges::binary_search(*ofLog, at(line).line))
            found.push_back(line);
    }
    return found;
}

std::vector<int> RankLogs::linesOf(LogLevel least, int from) const
{
    std::vector<int> found;
    for (int line = from; line < size(); ++line) {
        if (level(line) >= least)
            found.push_back(line);
    }
    return found;
}

RankLogs::Place RankLogs::placeOf(int line) const
{
    if (line < 0 || line >= size())
        return {};
    const Entry entry = isMerged() ? at(line) : Entry{0, line};
    return {entry.source, entry.line, m_sources[entry.source].lines.drops()};
}

int RankLogs::lineOf(const Place& place) const
{
    if (place.line < 0 || place.source >= m_sources.size())
        return -1;
    const LogLines& lines = m_sources[place.source].lines;
    if (place.drops != lines.drops() || place.line >= lines.size())
        return -1;
    if (!isMerged())
        return place.line;
    const auto found = std::ranges::lower_bound(m_order, Entry{place.source, place.line},
                                                [this](auto& a, auto& b) { return isBefore(a, b); });
    return static_cast<int>(found - m_order.begin());
}

} // namespace trainyard
