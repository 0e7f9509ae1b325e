#pragma once

#include <cstdint>
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

} // namespace trainyard
