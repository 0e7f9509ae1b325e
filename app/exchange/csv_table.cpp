#include "app/exchange/csv_table.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <string>

#include <QDateTime>

#include "app/base/csv_text.h"
#include "engine/base/mapped_file.h"

namespace trainyard {

namespace {

constexpr std::array kDelimiters{',', ';', '\t', '|'};
constexpr std::size_t kMaxColumns = 10'000;
constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
constexpr qsizetype kMaxTimeLength = 40; ///< characters of a date with time and zone

std::string_view trimmed(std::string_view text)
{
    constexpr std::string_view kBlanks = " \t";
    const std::size_t first = text.find_first_not_of(kBlanks);
    return first == std::string_view::npos ? std::string_view()
                                           : text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

/// Takes cells off the text, one line after another.
class CsvReader {
public:
    CsvReader(std::string_view text, char delimiter) : m_text(text), m_rest(text), m_delimiter(delimiter) {}

    bool atEnd() const { return m_rest.empty(); }
    /// The next line's cells; quotation marks are taken off. BadInput where one is wrong.
    Status readLine(std::vector<std::string>& cells)
    {
        cells.clear();
        do {
            cells.emplace_back();
            TRAINYARD_TRY_STATUS(readCell(cells.back()));
        } while (take(m_delimiter) && cells.size() <= kMaxColumns);
        take('\r');
        take('\n');
        return {};
    }
    /// Of what comes next, from 1; any line ends.
    std::size_t line() const
    {
        const std::size_t at = m_text.size() - m_rest.size();
        std::size_t line = 1;
        for (std::size_t i = 0; i < at; ++i)
            line += m_text[i] == '\n' || (m_text[i] == '\r' && m_text.substr(i + 1, 1) != "\n");
        return line;
    }

private:
    bool take(char character)
    {
        const bool there = m_rest.starts_with(character);
        m_rest.remove_prefix(there);
        return there;
    }
    /// Of a cell that begins where `opening` does.
    Error problemAt(std::string_view opening, const char* what, const char* fix)
    {
        m_rest = opening;
        return badInput("line " + std::to_string(line()) + ": " + what, fix);
    }
    Status readCell(std::string& cell)
    {
        const std::string_view opening = m_rest;
        const bool isQuoted = m_rest.starts_with('"');
        if (isQuoted) {
            TRAINYARD_TRY_STATUS(readQuoted(cell));
        }
        std::size_t end = 0;
        while (end < m_rest.size() && m_rest[end] != m_delimiter && m_rest[end] != '\n' &&
               m_rest[end] != '\r')
            ++end;
        const std::string_view plain = m_rest.substr(0, end);
        if (isQuoted && !trimmed(plain).empty())
            return problemAt(opening, "text follows the closing quotation mark of a cell",
                             "double quotation marks inside the text (\"\"), or remove them");
        cell += plain;
        m_rest.remove_prefix(end);
        return {};
    }
    Status readQuoted(std::string& cell)
    {
        const std::string_view opening = m_rest;
        while (take('"')) {
            const std::size_t end = m_rest.find('"');
            if (end == std::string_view::npos)
                return problemAt(opening, "a quotation mark is never closed", "close it, or remove it");
            cell += m_rest.substr(0, end);
            m_rest.remove_prefix(end + 1);
            if (m_rest.starts_with('"')) // doubled: one of the text
                cell += '"';
        }
        return {};
    }

    std::string_view m_text;
    std::string_view m_rest;
    char m_delimiter;
};

std::optional<double> numberFrom(std::string_view text)
{
    if (text.starts_with('+'))
        text.remove_prefix(1);
    double value = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (end != text.data() + text.size() || text.empty())
        return std::nullopt;
    if (problem == std::errc::result_out_of_range)
        return std::strtod(std::string(text).c_str(), nullptr); // 0 or infinity, with its sign
    return problem == std::errc() ? std::optional(value) : std::nullopt;
}

std::optional<double> timeFrom(std::string_view text)
{
    if (text.size() < 8 || text.size() > std::size_t(kMaxTimeLength) || text[4] != '-')
        return std::nullopt;
    const QString time =
        QString::fromUtf8(text.data(), qsizetype(text.size())).replace(QLatin1Char(' '), u'T');
    const QDateTime parsed = QDateTime::fromString(time, Qt::ISODateWithMs);
    return parsed.isValid() ? std::optional(double(parsed.toMSecsSinceEpoch()) / 1000) : std::nullopt;
}

std::optional<double> valueOf(std::string_view cell, char delimiter)
{
    if (const auto number = numberFrom(cell))
        return number;
    if (delimiter != ',' && std::ranges::count(cell, ',') == 1) {
        std::string point(cell);
        std::ranges::replace(point, ',', '.');
        if (const auto number = numberFrom(point))
            return number;
    }
    return timeFrom(cell);
}

/// How many cells a delimiter makes of each of the first lines; nothing when of some more than of others. Up
/// to a quotation mark that is wrong.
std::optional<std::size_t> columnsBy(char delimiter, std::string_view text)
{
    constexpr int kLines = 5;
    CsvReader reader(text, delimiter);
    std::vector<std::string> cells;
    std::size_t columns = 0;
    for (int line = 0; line < kLines && !reader.atEnd(); ++line) {
        const bool isRight = reader.readLine(cells).ok();
        const bool isEmpty = cells.size() == 1 && cells[0].empty();
        if (isRight && line > 0 && cells.size() != columns && !isEmpty)
            return std::nullopt;
        columns = line == 0 ? cells.size() : columns;
        if (!isRight)
            break;
    }
    return columns;
}

/// The one that divides the first lines into equally many cells, and into most of them.
char delimiterOf(std::string_view text)
{
    char best = ',';
    std::size_t most = 1;
    for (const char candidate : kDelimiters) {
        const std::size_t columns = columnsBy(candidate, text).value_or(0);
        if (columns > most) {
            most = columns;
            best = candidate;
        }
    }
    return best;
}

bool isHeading(const std::vector<std::string>& cells, char delimiter)
{
    return std::ranges::any_of(cells, [&](const std::string& cell) {
        const std::string_view text = trimmed(cell);
        return !text.empty() && !valueOf(text, delimiter);
    });
}

std::vector<CsvColumn> columnsFor(const std::vector<std::string>& first, bool isHeading)
{
    std::vector<CsvColumn> columns(first.size());
    for (std::size_t i = 0; i < first.size(); ++i) {
        const std::string_view name = trimmed(first[i]);
        columns[i].name = isHeading && !name.empty()
                              ? withoutFormulaGuard(QString::fromUtf8(name.data(), qsizetype(name.size())))
                              : QStringLiteral("column %1").arg(i + 1);
    }
    return columns;
}

void takeRow(CsvTable& table, const std::vector<std::string>& cells)
{
    for (std::size_t i = 0; i < std::min(cells.size(), table.columns.size()); ++i) {
        const std::string_view cell = trimmed(cells[i]);
        if (cell.empty())
            continue;
        if (const auto value = valueOf(cell, table.delimiter))
            table.columns[i].cells.push_back({table.rows, *value});
        else
            ++table.columns[i].otherCells;
    }
    ++table.rows;
}

/// Line by line, without those that are empty.
Status readRows(CsvReader& reader, CsvTable& table)
{
    std::vector<std::string> cells;
    bool isFirst = true;
    while (!reader.atEnd()) {
        TRAINYARD_TRY_STATUS(reader.readLine(cells));
        if (cells.size() > kMaxColumns)
            return badInput("line " + std::to_string(reader.line()) + " has too many columns",
                            "at most " + std::to_string(kMaxColumns) + " are read");
        if (cells.size() == 1 && trimmed(cells[0]).empty())
            continue;
        if (table.rows == std::numeric_limits<std::uint32_t>::max())
            return badInput("too many lines");
        if (std::exchange(isFirst, false)) {
            table.hasHeading = isHeading(cells, table.delimiter);
            table.columns = columnsFor(cells, table.hasHeading);
            if (table.hasHeading)
                continue;
        }
        takeRow(table, cells);
    }
    return {};
}

/// Of a text that is no table at all.
Status checkIsText(std::string_view text)
{
    if (text.find_first_not_of(" \t\r\n") == std::string_view::npos)
        return badInput("it is empty", "a table needs a header line and one line per step");
    if (text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff"))
        return badInput("it is encoded in UTF-16", "save it as UTF-8");
    return {};
}

} // namespace

QStringList CsvTable::names() const
{
    QStringList all;
    for (const CsvColumn& column : columns)
        all.append(column.name);
    return all;
}

const CsvColumn* CsvTable::column(const QString& name) const
{
    const auto found = std::ranges::find_if(columns, [&](const CsvColumn& column) {
        return column.name.compare(name, Qt::CaseInsensitive) == 0;
    });
    return found == columns.end() ? nullptr : &*found;
}

Result<CsvTable> parseCsv(std::string_view text)
{
    if (text.starts_with(kByteOrderMark))
        text.remove_prefix(kByteOrderMark.size());
    TRAINYARD_TRY_STATUS(checkIsText(text));
    CsvTable table;
    table.delimiter = delimiterOf(text);
    CsvReader reader(text, table.delimiter);
    TRAINYARD_TRY_STATUS(readRows(reader, table));
    if (std::ranges::all_of(table.columns, [](const CsvColumn& column) { return column.cells.empty(); }))
        return badInput("it contains no numbers", "a table needs a header line and one line per step");
    return table;
}

Result<CsvTable> readCsv(const std::filesystem::path& file)
{
    TRAINYARD_TRY(const auto mapped, MappedFile::open(file));
    auto table = parseCsv(mapped->bytes());
    return table.ok() ? std::move(table) : Result<CsvTable>(table.error().in(file.string()));
}

} // namespace trainyard
