#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <QByteArray>
#include <QString>

namespace trainyard {

/// The severity of a log line, guessed from its text.
enum class LogLevel : std::uint8_t { Info, Warning, Error };
/// Guesses the level from the words with which workers, LibTorch, MPI and NCCL begin messages.
LogLevel levelOfLogLine(std::string_view line);

/// Stores a growing log as bytes plus the start of each line: 9 bytes per line besides the text. Lines are
/// sanitized on access. A plain value.
class LogLines {
public:
    static constexpr std::size_t kMaxBytes = std::size_t{1} << 28;
    static constexpr std::size_t kMaxShownLength = 4096; ///< bytes of one line

    /// Drops the older half above `mostBytes`.
    explicit LogLines(std::size_t mostBytes = kMaxBytes) : m_mostBytes(mostBytes) {}

    void clear();
    void append(const QByteArray& bytes);

    /// Counts an unfinished last line if it is not empty.
    int size() const;
    bool isEmpty() const { return size() == 0; }
    /// Returns the line safe to display: without terminal colours, overwritten lines in their last state,
    /// control characters as U+FFFD.
    QString text(int line) const;
    LogLevel level(int line) const { return m_levels[static_cast<std::size_t>(line)]; }
    /// Returns the time at the start of the line, wall clock in ms since 1970-01-01 UTC; nullopt without one.
    std::optional<std::int64_t> timeMs(int line) const;
    /// Returns the last line written at or before this time; -1 = none. Lines without a time belong to the
    /// line before.
    int lineAt(std::int64_t timeMs) const;

    /// Returns the lines from `from` on that contain `needle`, ignoring the case of Latin letters. Empty for
    /// an empty needle.
    std::vector<int> linesWith(std::string_view needle, int from = 0) const;
    /// Increases when lines at the beginning are dropped, which changes all line numbers.
    int drops() const { return m_drops; }

private:
    std::string_view raw(int line) const;
    void endLine(std::size_t end);
    void dropOlderHalf();

    std::size_t m_mostBytes;
    std::string m_text;
    std::vector<std::size_t> m_starts{0}; ///< start of each line, including the unfinished last one
    std::vector<LogLevel> m_levels;
    int m_drops = 0;
};

/// Merges the logs of one or several ranks by time; lines of one rank keep their order. A line without a time
/// takes that of the line before it in its rank's log; clock differences between hosts affect the order.
/// Several logs cost 16 bytes per line more than one. A plain value.
class RankLogs {
public:
    explicit RankLogs(const std::vector<int>& ranks = {0}) { setRanks(ranks); }

    /// Starts over with these ranks: at least one, unique, ascending.
    void setRanks(const std::vector<int>& ranks);
    /// Appends to a rank's log. Lines before the returned one are unchanged.
    int append(int rank, const QByteArray& bytes);

    bool isMerged() const { return m_sources.size() > 1; }
    int size() const;
    bool isEmpty() const { return size() == 0; }
    int rankOf(int line) const { return m_sources[indexOf(line)].rank; }
    /// Returns the index of the line's rank among the current ranks.
    std::size_t indexOf(int line) const { return isMerged() ? m_order[std::size_t(line)].source : 0; }
    /// As LogLines::text() and LogLines::level().
    QString text(int line) const;
    LogLevel level(int line) const;
    /// Returns the time of the line or of the line before it, wall clock in ms since 1970-01-01 UTC; nullopt
    /// before the first.
    std::optional<std::int64_t> timeMs(int line) const;
    /// Returns the last line at or before that time; -1 = none.
    int lineAt(std::int64_t timeMs) const;
    /// As LogLines::linesWith().
    std::vector<int> linesWith(std::string_view needle, int from = 0) const;
    /// Returns the lines from `from` on of at least this level.
    std::vector<int> linesOf(LogLevel least, int from = 0) const;

    /// Identifies a line independently of the lines of other ranks.
    struct Place {
        std::uint32_t source = 0;
        std::int32_t line = -1; ///< of its rank's log; negative = none
        int drops = 0;          ///< of that log, see LogLines::drops()
    };
    Place placeOf(int line) const;
    /// Returns the current number of that line; -1 when it was dropped.
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

/// Parses "3", "0-3, 8" or "all" to ascending unique ranks; nullopt for other text or for a rank not below
/// `worldSize`.
std::optional<std::vector<int>> ranksFrom(const QString& text, int worldSize);
/// Returns the shortest text that ranksFrom() parses to these ranks.
QString textOf(const std::vector<int>& ranks, int worldSize);

} // namespace trainyard
