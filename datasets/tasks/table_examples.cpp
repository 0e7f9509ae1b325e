#include "datasets/tasks/table_examples.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "datasets/input/text_lines.h"
#include "datasets/tasks/task_table.h"
#include "engine/base/parsed_number.h"

namespace trainyard {

namespace fs = std::filesystem;

namespace {

struct ColumnNames {
    std::string_view text;
    std::string_view pair;
    std::string_view label;
};

// GLUE's are those of its files. The first entry counts whose columns are all there.
constexpr std::array kUsualColumns = std::to_array<ColumnNames>({
    {"sentence1", "sentence2", "gold_label"},   // MNLI
    {"sentence1", "sentence2", "label"},        // RTE, WNLI
    {"sentence1", "sentence2", "score"},        // STS-B
    {"question1", "question2", "is_duplicate"}, // QQP
    {"question1", "question2", "label"},        // the same of Hugging Face
    {"#1 String", "#2 String", "Quality"},      // MRPC
    {"question", "sentence", "label"},          // QNLI
    {"premise", "hypothesis", "label"},
    {"sentence", {}, "label"}, // SST-2, CoLA
    {"text", {}, "label"},
});
constexpr ColumnNames kPromptColumns{"prompt", {}, "completion"};

struct ColumnPlaces {
    std::size_t text = 0;
    std::optional<std::size_t> pair;
    std::size_t label = 0;
};

bool hasAll(const TaskTable& table, const ColumnNames& names)
{
    return table.find(names.text) && table.find(names.label) &&
           (names.pair.empty() || table.find(names.pair));
}

/// What the options leave open.
ColumnNames usualColumns(const TaskTable& table, TaskKind kind)
{
    if (kind == TaskKind::Complete)
        return kPromptColumns;
    for (const ColumnNames& names : kUsualColumns) {
        if (hasAll(table, names))
            return names;
    }
    return {"text", {}, "label"};
}

Result<std::size_t> columnAt(const TaskTable& table, std::string_view name, const char* option)
{
    const std::string header = isColumnTable(table.file) ? "" : "line 1: ";
    if (const auto same = std::ranges::count(table.columns, name); same > 1)
        return badInput(
            fmt::format("{}: {}there are {} columns \"{}\"", table.file.string(), header, same, name),
            fmt::format("rename one, or give the number of the right one with {}", option));
    if (const auto place = table.find(name))
        return *place;
    return badInput(fmt::format("{}: {}there is no column \"{}\" among: {}", table.file.string(), header,
                                name, fmt::join(table.columns, ", ")),
                    fmt::format("name the column with {}, or give its number", option));
}

Result<ColumnPlaces> placesIn(const TaskTable& table, const TaskOptions& options)
{
    ColumnNames names = usualColumns(table, options.kind);
    if (!options.text.empty()) // a usual second sentence belongs to the usual first one
        names = {options.text, {}, names.label};
    if (!options.pair.empty())
        names.pair = options.pair;
    if (!options.label.empty())
        names.label = options.label;
    ColumnPlaces places;
    TRAINYARD_TRY(places.text, columnAt(table, names.text, "--text"));
    if (!names.pair.empty()) {
        TRAINYARD_TRY(places.pair, columnAt(table, names.pair, "--pair"));
    }
    TRAINYARD_TRY(places.label, columnAt(table, names.label, "--label"));
    return places;
}

bool isNumber(const std::string& text)
{
    const auto number = parsedNumber<double>(text);
    return number && std::isfinite(*number);
}

class TableExampleReader {
public:
    TableExampleReader(const TaskTable& table, const TaskOptions& options, const ColumnPlaces& places,
                       TaskExamples& examples)
        : m_table(table), m_options(options), m_places(places), m_examples(examples)
    {
    }

    Status read(const TaskTable::Row& row)
    {
        TaskExample example;
        example.file = static_cast<std::uint32_t>(m_examples.files.size() - 1);
        example.line = row.line;
        example.group = m_examples.examples.size();
        TRAINYARD_TRY(example.text, cellOf(row, m_places.text, example));
        if (m_places.pair) {
            TRAINYARD_TRY(example.pair, cellOf(row, *m_places.pair, example));
        }
        TRAINYARD_TRY_STATUS(checkOneLabel(row, example));
        TRAINYARD_TRY(std::string label, cellOf(row, m_places.label, example));
        if (m_options.kind == TaskKind::Regress && !isNumber(label))
            return m_examples.problemAt(example, m_table.columns[m_places.label],
                                        fmt::format("\"{}\" is not a number", label),
                                        "correct it, or name another column with --label");
        (m_options.kind == TaskKind::Complete ? example.pair : example.label) = std::move(label);
        m_examples.examples.push_back(std::move(example));
        return {};
    }

private:
    static bool isNested(const TaskTable::Row& row, std::size_t column)
    {
        return std::ranges::count(row.nested, column) > 0;
    }

    /// The text of a list would become the name of a class.
    Status checkOneLabel(const TaskTable::Row& row, const TaskExample& example) const
    {
        if (m_options.kind != TaskKind::Classify || !isNested(row, m_places.label))
            return {};
        return m_examples.problemAt(example, m_table.columns[m_places.label],
                                    "is a list or an object, and an example has one class",
                                    "write one text or number; several labels for an example are not "
                                    "supported");
    }

    Result<std::string> cellOf(const TaskTable::Row& row, std::size_t column,
                               const TaskExample& example) const
    {
        if (isNested(row, column))
            return m_examples.problemAt(example, m_table.columns[column],
                                        "is a list or an object, not a text",
                                        "write one text, or name another column");
        if (isBlank(row.cells[column]))
            return m_examples.problemAt(example, m_table.columns[column], "is empty",
                                        "complete the line, or remove it");
        return row.cells[column];
    }

    const TaskTable& m_table;
    const TaskOptions& m_options;
    const ColumnPlaces& m_places;
    TaskExamples& m_examples;
};

} // namespace

Status readTableExamples(const fs::path& file, const TaskOptions& options, TaskExamples& examples)
{
    TRAINYARD_TRY(const TaskTable table, readTaskTable(file, options.noHeader));
    TRAINYARD_TRY(const ColumnPlaces places, placesIn(table, options));
    examples.files.push_back(file);
    examples.labelColumn = table.columns[places.label];
    TableExampleReader reader(table, options, places, examples);
    for (const TaskTable::Row& row : table.rows)
        TRAINYARD_TRY_STATUS(reader.read(row));
    return {};
}

} // namespace trainyard
