#include "app/exchange/csv_table.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <string>

#include <QDateTime>

#include "app/models/mapped_file.h"

namespace trainyard {

namespace {

constexpr std::array kDelimiters{',', ';', '\t', '|'};
constexpr std::size_t kMostColumns = 10'000;
constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
constexpr qsizetype kLongestTime = 40; ///< characters of a date with time and zone

/// Takes cells off the text, one line after another.
class CsvReader {
public:
    CsvReader(std::string_view text, char delimiter) : m_rest(text), m_delimiter(delimiter) {}

    bool atEnd() const { return m_rest.empty(); }
    /// The next line's cells; quotation marks are taken off.
    void readLine(std::vector<std::string>& cells)
    {
        cells.clear();
        do
            cells.push_back(readCell());
        while (take(m_delimiter) && cells.size() <= kMostColumns);
        take('\r');
        take('\n');
    }

private:
    bool take(char character)
    {
        const bool there = m_rest.starts_with(character);
        m_rest.remove_prefix(there);
        return there;
    }
    std::string readCell()
    {
        std::string cell;
        while (take('"')) {
            const std::size_t end = std::min(m_rest.find('"'), m_rest.size());
            cell += m_rest.substr(0, end);
            m_rest.remove_prefix(std::min(end + 1, m_rest.size()));
            if (m_rest.starts_with('"')) // doubled: one of the text
                cell += '"';
        }
        std::size_t end = 0;
        while (end < m_rest.size() && m_rest[end] != m_delimiter && m_rest[end] != '\n' &&
               m_rest[end] != '\r')
            ++end;
        cell += m_rest.substr(0, end);
        m_rest.remove_prefix(end);
        return cell;
    }

    std::string_view m_rest;
    char m_delimiter;
};

std::string_view trimmed(std::string_view text)
{
    constexpr std::string_view kBlanks = " \t";
    const std::size_t first = text.find_first_not_of(kBlanks);
    return first == std::string_view::npos ? std::string_view()
                                           : text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

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
    if (text.size() < 8 || text.size() > std::size_t(kLongestTime) || text[4] != '-')
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

/// The one that divides the first lines into equally many cells, and into most of them.
char delimiterOf(std::string_view text)
{
    constexpr int kLines = 5;
    char best = ',';
    std::size_t most = 1;
    std::vector<std::string> cells;
    for (const char candidate : kDelimiters) {
        CsvReader reader(text, candidate);
        std::size_t columns = 0;
        bool equal = true;
        for (int line = 0; line < kLines && !reader.atEnd(); ++line) {
            reader.readLine(cells);
            equal =
                equal && (line == 0 || cells.size() == columns || (cells.size() == 1 && cells[0].empty()));
            columns = line == 0 ? cells.size() : columns;
        }
        if (equal && columns > most) {
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
        columns[i].name = isHeading && !name.empty() ? QString::fromUtf8(name.data(), qsizetype(name.size()))
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
    CsvTable table;
    table.delimiter = delimiterOf(text);
    CsvReader reader(text, table.delimiter);
    std::vector<std::string> cells;
    bool isFirst = true;
    while (!reader.atEnd()) {
        reader.readLine(cells);
        if (cells.size() > kMostColumns)
            return badInput("line " + std::to_string(table.rows + 1) + " has too many columns",
                            "at most " + std::to_string(kMostColumns) + " are read");
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
    if (std::ranges::all_of(table.columns, [](const CsvColumn& column) { return column.cells.empty(); }))
        return badInput("there is no number in it", "a table has a heading and a line for each step");
    return table;
}

Result<CsvTable> readCsv(const std::filesystem::path& file)
{
    TRAINYARD_TRY(const auto mapped, MappedFile::open(file));
    auto table = parseCsv(mapped->bytes());
    return table.ok() ? std::move(table) : Result<CsvTable>(table.error().in(file.string()));
}

} // namespace trainyard
