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
#include "app/base/display_text.h"
#include "engine/base/csv_reader.h"
#include "engine/base/mapped_file.h"

namespace trainyard {

namespace {

constexpr std::array kDelimiters{',', ';', '\t', '|'};
constexpr qsizetype kMaxTimeLength = 40; ///< characters of a date with time and zone

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
    const QString time = toQString(text).replace(QLatin1Char(' '), u'T');
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
    for (int line = 0; line < kLines; ++line) {
        const auto isRow = reader.next(cells);
        if (isRow.ok() && !*isRow)
            break;
        if (isRow.ok() && line > 0 && cells.size() != columns)
            return std::nullopt;
        columns = line == 0 ? cells.size() : columns;
        if (!isRow.ok())
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
    return std::ranges::any_of(
        cells, [&](const std::string& cell) { return !cell.empty() && !valueOf(cell, delimiter); });
}

std::vector<CsvColumn> columnsFor(const std::vector<std::string>& first, bool isHeading)
{
    std::vector<CsvColumn> columns(first.size());
    for (std::size_t i = 0; i < first.size(); ++i) {
        columns[i].name = isHeading && !first[i].empty()
                              ? withoutFormulaGuard(QString::fromStdString(first[i]))
                              : QStringLiteral("column %1").arg(i + 1);
    }
    return columns;
}

void takeRow(CsvTable& table, const std::vector<std::string>& cells)
{
    for (std::size_t i = 0; i < std::min(cells.size(), table.columns.size()); ++i) {
        if (cells[i].empty())
            continue;
        if (const auto value = valueOf(cells[i], table.delimiter))
            table.columns[i].cells.push_back({table.rows, *value});
        else
            ++table.columns[i].otherCells;
    }
    ++table.rows;
}

Status readRows(CsvReader& reader, CsvTable& table)
{
    std::vector<std::string> cells;
    bool isFirst = true;
    for (;;) {
        TRAINYARD_TRY(const bool isRow, reader.next(cells));
        if (!isRow)
            return {};
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
