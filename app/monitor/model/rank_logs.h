#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "app/monitor/model/log_lines.h"

namespace trainyard {

/// The logs of one rank or of several as one: their lines in order of time, those of one rank always in the
/// order in which it wrote them. A line without time has that of the one before it in its rank's log; where
/// clocks of hosts differ, so does the order. Several logs cost 16 bytes a line more than one. A plain value.
class RankLogs {
public:
    explicit RankLogs(const std::vector<int>& ranks = {0}) { setRanks(ranks); }

    /// Starts over with these: at least one, each once, ascending.
    void setRanks(const std::vector<int>& ranks);
    /// More of a rank's log. All lines before the one that is returned are what and where they were.
    int append(int rank, const QByteArray& bytes);

    bool isMerged() const { return m_sources.size() > 1; }
    int size() const;
    bool isEmpty() const { return size() == 0; }
    int rankOf(int line) const { return m_sources[indexOf(line)].rank; }
    /// Number of its rank among those that are here.
    std::size_t indexOf(int line) const { return isMerged() ? m_order[std::size_t(line)].source : 0; }
    /// As LogLines::text() and LogLines::level().
    QString text(int line) const;
    LogLevel level(int line) const;
    /// Wall clock in ms since 1970-01-01 UTC, its own or that of the line before; nothing before the first.
    std::optional<std::int64_t> timeMs(int line) const;
    /// The last line of that moment or before; -1 = none.
    int lineAt(std::int64_t timeMs) const;
    /// As LogLines::linesWith().
    std::vector<int> linesWith(std::string_view needle, int from = 0) const;
    /// Lines from `from` on that sound at least as bad.
    std::vector<int> linesOf(LogLevel least, int from = 0) const;

    /// A line by what does not change when lines of other ranks come between.
    struct Place {
        std::uint32_t source = 0;
        std::int32_t line = -1; ///< of its rank's log; negative = none
        int drops = 0;          ///< of that log, see LogLines::drops()
    };
    Place placeOf(int line) const;
    /// -1 when it is not here any more.
    int lineOf(const Place& place) const;

private:
    struct Source {
        int rank = 0;
        LogLines lines;
        std::vector<std::int64_t> times{}; ///< of each line; kept only when logs are merged
    };
    struct Entry {
        std::uint32_t source = 0;
        std::int32_t line = 0;
    };

    const Entry& at(int line) const { return m_order[std::size_t(line)]; }
    std::int64_t timeOf(const Entry& entry) const;
    bool isBefore(const Entry& a, const Entry& b) const;
    int forget(std::uint32_t source, std::int32_t from);
    int place(std::uint32_t source, std::int32_t from);

    std::vector<Source> m_sources;
    std::vector<Entry> m_order; ///< empty for a single log
};

} // namespace trainyard
