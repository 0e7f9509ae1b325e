#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <QByteArray>
#include <QString>

namespace trainyard {

/// How bad a line of a log sounds.
enum class LogLevel : std::uint8_t { Info, Warning, Error };
/// By the words that workers, LibTorch, MPI and NCCL begin their complaints with.
LogLevel levelOfLogLine(std::string_view line);

/// A log as it grows, as bytes with the beginning of each line: a million lines cost 9 bytes each besides
/// their text. A line is made fit to be shown when it is asked for. A plain value.
class LogLines {
public:
    static constexpr std::size_t kMaxBytes = std::size_t{1} << 28;
    static constexpr std::size_t kMaxShownLength = 4096; ///< bytes of one line

    /// With more than `mostBytes` the older half is dropped.
    explicit LogLines(std::size_t mostBytes = kMaxBytes) : m_mostBytes(mostBytes) {}

    void clear();
    void append(const QByteArray& bytes);

    /// A last line without its end counts once it has a character.
    int size() const;
    bool isEmpty() const { return size() == 0; }
    /// Harmless: terminal colours are left out, of a line that was overwritten its last state remains, and
    /// control characters become U+FFFD.
    QString text(int line) const;
    LogLevel level(int line) const { return m_levels[static_cast<std::size_t>(line)]; }
    /// Wall clock in ms since 1970-01-01 UTC that the line begins with; nothing when it begins otherwise.
    std::optional<std::int64_t> timeMs(int line) const;
    /// The last line that was written at that moment or before; -1 = none. Lines without time belong to the
    /// one before.
    int lineAt(std::int64_t timeMs) const;

    /// Lines from `from` on that contain `needle`, in any case of its Latin letters. Empty for an empty one.
    std::vector<int> linesWith(std::string_view needle, int from = 0) const;
    /// Grows when lines at the beginning were dropped: all numbers of lines are others then.
    int drops() const { return m_drops; }

private:
    std::string_view raw(int line) const;
    void endLine(std::size_t end);
    void dropOlderHalf();

    std::size_t m_mostBytes;
    std::string m_text;
    std::vector<std::size_t> m_starts{0}; ///< of the lines, the unfinished last one among them
    std::vector<LogLevel> m_levels;
    int m_drops = 0;
};

} // namespace trainyard
