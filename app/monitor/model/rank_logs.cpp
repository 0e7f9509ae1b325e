#include "app/monitor/model/rank_logs.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <functional>
#include <limits>
#include <set>

#include <QDateTime>
#include <QStringList>

#include "engine/base/untrusted_text.h"

namespace trainyard {

namespace {

constexpr std::array kErrorWords{
    "error", "fatal", "traceback", "abort", "segmentation fault", "out of memory", "killed by signal"};
constexpr std::array kWarningWords{"warn", "[w", "deprecated", "retry"};
/// Names of metrics that healthy runs also log: not errors.
constexpr std::array kErrorMetrics{"relative error", "absolute error", "rounding error", "mean error"};
constexpr std::size_t kLevelBytes = 256; ///< beginning of a line that is searched for level words
constexpr qsizetype kTimeLength = 32;    ///< bytes that hold a time

char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

std::string lowered(std::string_view text)
{
    std::string result(text);
    std::ranges::transform(result, result.begin(), lower);
    return result;
}

template <std::size_t N>
bool hasOneOf(const std::string& text, const std::array<const char*, N>& words)
{
    return std::ranges::any_of(words, [&](const char* word) { return text.find(word) != std::string::npos; });
}

std::string withoutErrorMetrics(std::string text)
{
    for (const std::string_view name : kErrorMetrics) {
        for (std::size_t at = 0; (at = text.find(name, at)) != std::string::npos;)
            text.erase(at, name.size());
    }
    return text;
}

/// Removes ECMA-48 control sequences: "ESC [", parameters, and a final byte from 0x40 to 0x7e.
std::string withoutEscapes(std::string_view text)
{
    std::string plain;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '\x1b' || i + 1 >= text.size() || text[i + 1] != '[') {
            plain += text[i];
            continue;
        }
        for (i += 2; i < text.size() && (text[i] < 0x40 || text[i] > 0x7e);)
            ++i;
    }
    return plain;
}

/// Returns the text that a terminal shows after carriage returns.
std::string_view lastState(std::string_view line)
{
    while (line.ends_with('\r'))
        line.remove_suffix(1);
    const auto back = line.rfind('\r');
    return back == std::string_view::npos ? line : line.substr(back + 1);
}

} // namespace

LogLevel levelOfLogLine(std::string_view line)
{
    const std::string text = withoutErrorMetrics(lowered(line.substr(0, kLevelBytes)));
    if (hasOneOf(text, kErrorWords))
        return LogLevel::Error;
    return hasOneOf(text, kWarningWords) ? LogLevel::Warning : LogLevel::Info;
}

void LogLines::clear()
{
    m_text.clear();
    m_starts = {0};
    m_levels.clear();
    ++m_drops;
}

void LogLines::append(const QByteArray& bytes)
{
    if (bytes.isEmpty())
        return;
    if (m_levels.size() == m_starts.size())
        m_levels.pop_back(); // that of the unfinished line, which continues
    std::size_t at = m_text.size();
    m_text.append(bytes.constData(), static_cast<std::size_t>(bytes.size()));
    for (std::size_t end = 0; (end = m_text.find('\n', at)) != std::string::npos; at = end + 1)
        endLine(end);
    if (m_starts.back() < m_text.size())
        m_levels.push_back(levelOfLogLine(std::string_view(m_text).substr(m_starts.back())));
    if (m_text.size() > m_mostBytes)
        dropOlderHalf();
}

void LogLines::endLine(std::size_t end)
{
    const std::size_t start = m_starts.back();
    m_levels.push_back(levelOfLogLine(std::string_view(m_text).substr(start, end - start)));
    m_starts.push_back(end + 1);
}

void LogLines::dropOlderHalf()
{
    const auto keep = std::ranges::lower_bound(m_starts, m_text.size() / 2);
    if (keep == m_starts.end()) // one line without end: no log
        return clear();
    const auto lines = keep - m_starts.begin();
    const std::size_t bytes = *keep;
    m_text.erase(0, bytes);
    m_starts.erase(m_starts.begin(), keep);
    m_levels.erase(m_levels.begin(), m_levels.begin() + lines);
    for (std::size_t& start : m_starts)
        start -= bytes;
    ++m_drops;
}

int LogLines::size() const
{
    return static_cast<int>(m_levels.size());
}

std::string_view LogLines::raw(int line) const
{
    const auto index = static_cast<std::size_t>(line);
    const std::size_t start = m_starts[index];
    const std::size_t end = index + 1 < m_starts.size() ? m_starts[index + 1] - 1 : m_text.size();
    return std::string_view(m_text).substr(start, end - start);
}

QString LogLines::text(int line) const
{
    const std::string_view whole = lastState(raw(line));
    const std::string plain = withoutEscapes(whole.substr(0, 2 * kMaxShownLength));
    return QString::fromStdString(sanitizeText(plain, Lines::One, kMaxShownLength));
}

std::optional<std::int64_t> LogLines::timeMs(int line) const
{
    const std::string_view bytes = raw(line);
    const std::string_view word =
        bytes.substr(0, std::min<std::size_t>(bytes.find(' '), static_cast<std::size_t>(kTimeLength)));
    if (word.empty() || !std::isdigit(static_cast<unsigned char>(word.front())))
        return std::nullopt;
    const QDateTime time = QDateTime::fromString(
        QString::fromLatin1(word.data(), static_cast<qsizetype>(word.size())), Qt::ISODateWithMs);
    return time.isValid() ? std::optional<std::int64_t>(time.toMSecsSinceEpoch()) : std::nullopt;
}

int LogLines::lineAt(std::int64_t timeMs) const
{
    // A line without a time has that of the line before.
    const auto timeBefore = [this](int line) {
        while (line >= 0 && !this->timeMs(line))
            --line;
        return line < 0 ? std::numeric_limits<std::int64_t>::min() : *this->timeMs(line);
    };
    int low = 0;
    int high = size();
    while (low < high) {
        const int middle = low + (high - low) / 2;
        if (timeBefore(middle) <= timeMs)
            low = middle + 1;
        else
            high = middle;
    }
    return low - 1;
}

std::vector<int> LogLines::linesWith(std::string_view needle, int from) const
{
    std::vector<int> found;
    if (needle.empty() || from >= size())
        return found;
    const std::string wanted = lowered(needle);
    const auto hash = [](char c) { return std::hash<char>()(lower(c)); };
    const auto equal = [](char a, char b) { return lower(a) == lower(b); };
    const std::boyer_moore_horspool_searcher search(wanted.begin(), wanted.end(), hash, equal);
    auto at = m_text.begin() + static_cast<std::ptrdiff_t>(m_starts[static_cast<std::size_t>(from)]);
    while ((at = std::search(at, m_text.end(), search)) != m_text.end()) {
        const auto position = static_cast<std::size_t>(at - m_text.begin());
        const auto next = std::ranges::upper_bound(m_starts, position);
        found.push_back(static_cast<int>(next - m_starts.begin()) - 1);
        if (next == m_starts.end())
            break;
        at = m_text.begin() + static_cast<std::ptrdiff_t>(*next);
    }
    return found;
}

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

/// Removes lines of a log from the order; returns the position of the first.
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

/// Inserts lines of a log by time; returns the position of the first.
int RankLogs::place(std::uint32_t source, std::int32_t from)
{
    Source& log = m_sources[source];
    const auto known = static_cast<std::ptrdiff_t>(m_order.size());
    // Lines keep the order in which they were written, even if the clock was set back.
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

std::optional<std::vector<int>> ranksFrom(const QString& text, int worldSize)
{
    std::set<int> ranks;
    const bool all = text.trimmed().compare(QLatin1String("all"), Qt::CaseInsensitive) == 0;
    const QString written = all ? QStringLiteral("0-%1").arg(worldSize - 1) : text;
    for (const QString& part : written.split(QLatin1Char(','))) {
        const QStringList ends = part.split(QLatin1Char('-'));
        bool isFirst = false;
        bool isLast = false;
        const int first = ends.first().trimmed().toInt(&isFirst);
        const int last = ends.last().trimmed().toInt(&isLast);
        if (ends.size() > 2 || !isFirst || !isLast || first < 0 || last < first || last >= worldSize)
            return std::nullopt;
        for (int rank = first; rank <= last; ++rank)
            ranks.insert(rank);
    }
    return std::vector<int>(ranks.begin(), ranks.end());
}

QString textOf(const std::vector<int>& ranks, int worldSize)
{
    if (worldSize > 1 && ranks.size() == std::size_t(worldSize))
        return QStringLiteral("all");
    QStringList parts;
    for (std::size_t first = 0; first < ranks.size();) {
        std::size_t last = first;
        while (last + 1 < ranks.size() && ranks[last + 1] == ranks[last] + 1)
            ++last;
        parts.append(last == first ? QString::number(ranks[first])
                                   : QStringLiteral("%1-%2").arg(ranks[first]).arg(ranks[last]));
        first = last + 1;
    }
    return parts.join(QStringLiteral(", "));
}

} // namespace trainyard
