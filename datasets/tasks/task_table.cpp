#include "datasets/tasks/task_table.h"

#include <algorithm>

#include <fmt/format.h>

#include "datasets/input/table_file.h"
#include "datasets/input/text_lines.h"
#include "datasets/tasks/task_example.h"
#include "engine/base/counted.h"
#include "engine/base/csv_reader.h"
#include "engine/base/file.h"
#include "engine/base/parsed_number.h"
#include "engine/base/utf8.h"
#include "engine/spec/bounded_json.h"

namespace trainyard {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kMark = "\xEF\xBB\xBF";

std::vector<std::string> cellsBetweenTabs(std::string_view line)
{
    std::vector<std::string> cells;
    for (;;) {
        const std::size_t tab = line.find('\t');
        cells.emplace_back(line.substr(0, tab));
        if (tab == std::string_view::npos)
            return cells;
        line.remove_prefix(tab + 1);
    }
}

Result<std::vector<TaskTable::Row>> rowsBetweenTabs(std::string_view text)
{
    std::vector<TaskTable::Row> rows;
    if (text.starts_with(kMark))
        text.remove_prefix(kMark.size());
    for (std::size_t line = 1; const auto content = takeLine(text); ++line) {
        if (!isBlank(*content))
            rows.push_back({line, cellsBetweenTabs(*content)});
    }
    return rows;
}

Result<std::vector<TaskTable::Row>> rowsOfCsv(std::string_view text)
{
    std::vector<TaskTable::Row> rows;
    CsvReader reader(text);
    for (std::vector<std::string> cells;;) {
        TRAINYARD_TRY(const bool there, reader.next(cells));
        if (!there)
            return rows;
        rows.push_back({reader.line(), cells});
    }
}

/// The names of the first row, which is taken away; numbers without a header.
std::vector<std::string> takeHeader(std::vector<TaskTable::Row>& rows, bool noHeader)
{
    std::vector<std::string> columns = rows.front().cells;
    if (noHeader) {
        for (std::size_t i = 0; i < columns.size(); ++i)
            columns[i] = std::to_string(i + 1);
    } else
        rows.erase(rows.begin());
    return columns;
}

/// GLUE's CoLA is the one table without a header: source, label, the author's mark, sentence.
bool looksLikeCola(const TaskTable::Row& first)
{
    return first.cells.size() == 4 && (first.cells[1] == "0" || first.cells[1] == "1") &&
           (first.cells[2].empty() || first.cells[2] == "*");
}

Status checkWidths(const TaskTable& table)
{
    for (const TaskTable::Row& row : table.rows) {
        if (row.cells.size() != table.columns.size())
            return badInput(
                fmt::format("{}: line {} has {} instead of {}", table.file.string(), row.line,
                            counted(row.cells.size(), "column"), table.columns.size()),
                "complete the line; a cell of a .csv file with a delimiter in it needs quotation marks");
    }
    return {};
}

Result<TaskTable> tableOf(const fs::path& file, std::vector<TaskTable::Row> rows, bool noHeader)
{
    TaskTable table;
    table.file = file;
    if (rows.empty())
        return badInput(file.string() + " has no rows", "pass a file with labelled examples");
    if (!noHeader && looksLikeCola(rows.front())) {
        table.columns = {"source", "label", "mark", "sentence"};
    } else
        table.columns = takeHeader(rows, noHeader);
    if (rows.empty())
        return badInput(file.string() + ": there is no row below line 1, the header",
                        "pass a file with labelled examples, or --no-header if line 1 is one");
    table.rows = std::move(rows);
    TRAINYARD_TRY_STATUS(checkWidths(table));
    return table;
}

std::string cellText(const nlohmann::json& value)
{
    return value.is_string() ? value.get<std::string>() : value.is_null() ? std::string() : value.dump();
}

/// A table of objects, whose keys are the columns.
class ObjectTable {
public:
    explicit ObjectTable(const fs::path& file) { m_table.file = file; }

    Status add(std::string_view text, std::size_t line)
    {
        const auto object = parseBoundedJson(text);
        if (!object.ok() || !object->is_object())
            return badInput(
                fmt::format("{}: line {} is no JSON object", m_table.file.string(), line),
                "write one object on each line, e.g. {\"sentence\": \"...\", \"label\": \"...\"}");
        TaskTable::Row row{line, std::vector<std::string>(m_table.columns.size())};
        for (const auto& [key, value] : object->items()) {
            const auto found = std::ranges::find(m_table.columns, key);
            const auto index = static_cast<std::size_t>(found - m_table.columns.begin());
            if (found == m_table.columns.end()) {
                m_table.columns.push_back(key);
                row.cells.emplace_back();
            }
            row.cells[index] = cellText(value);
            if (value.is_structured())
                row.nested.push_back(index);
        }
        m_table.rows.push_back(std::move(row));
        return {};
    }

    Result<TaskTable> take() &&
    {
        for (TaskTable::Row& row : m_table.rows)
            row.cells.resize(m_table.columns.size()); // keys that came later
        if (m_table.rows.empty())
            return badInput(m_table.file.string() + " has no rows", "pass a file with labelled examples");
        return std::move(m_table);
    }

private:
    TaskTable m_table;
};

Result<TaskTable> tableOfJsonLines(const fs::path& file, std::string_view text)
{
    ObjectTable table(file);
    for (std::size_t line = 1; const auto content = takeLine(text); ++line) {
        if (!isBlank(*content))
            TRAINYARD_TRY_STATUS(table.add(*content, line));
    }
    return std::move(table).take();
}

Result<TaskTable> tableOfColumns(const fs::path& file)
{
    ObjectTable table(file);
    TRAINYARD_TRY_STATUS(readTableObjects(
        file, [&](std::string_view object, std::size_t row) { return table.add(object, row); }));
    return std::move(table).take();
}

} // namespace

std::optional<std::size_t> TaskTable::find(std::string_view column) const
{
    if (const auto found = std::ranges::find(columns, column); found != columns.end())
        return static_cast<std::size_t>(found - columns.begin());
    const auto number = parsedNumber<std::size_t>(column);
    if (number && *number >= 1 && *number <= columns.size())
        return *number - 1;
    return std::nullopt;
}

Result<TaskTable> readTaskTable(const fs::path& file, bool noHeader)
{
    if (isColumnTable(file))
        return tableOfColumns(file);
    TRAINYARD_TRY(std::string text, readFile(file));
    repairUtf8(text);
    const std::string extension = file.extension();
    if (extension == ".jsonl" || extension == ".json")
        return tableOfJsonLines(file, text);
    auto rows = extension == ".csv" ? rowsOfCsv(text) : rowsBetweenTabs(text);
    if (!rows.ok())
        return rows.error().in(file.string());
    return tableOf(file, std::move(*rows), noHeader);
}

} // namespace trainyard
