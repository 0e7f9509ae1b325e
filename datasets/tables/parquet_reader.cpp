#include "datasets/tables/parquet_reader.h"

#include <algorithm>
#include <vector>

#include <arrow/io/memory.h>
#include <arrow/memory_pool.h>
#include <parquet/column_reader.h>
#include <parquet/exception.h>
#include <parquet/file_reader.h>
#include <parquet/schema.h>

#include "datasets/tables/column_problem.h"

namespace trainyard {

namespace {

/// Values of a column in one row group, one row after the other.
template <typename Physical>
class ParquetColumn {
public:
    using Value = typename Physical::c_type;

    ParquetColumn(std::shared_ptr<parquet::ColumnReader> reader, std::int16_t definition)
        : m_reader(std::static_pointer_cast<parquet::TypedColumnReader<Physical>>(std::move(reader)))
        , m_full(definition)
        , m_levels(kValues, definition)
        , m_values(kValues)
    {
    }

    /// nullopt = null. Requires another row.
    std::optional<Value> next()
    {
        while (m_row == m_rows)
            fetch();
        return m_levels[m_row++] == m_full ? std::optional(m_values[m_value++]) : std::nullopt;
    }

private:
    static constexpr std::int64_t kValues = 256;

    /// Reads on in the page, or opens the next one: values point into it.
    void fetch()
    {
        if (!m_reader->HasNext())
            throw parquet::ParquetException("a column has fewer rows than its row group");
        std::int64_t values = 0;
        m_rows = static_cast<std::size_t>(m_reader->ReadBatch(kValues, m_full > 0 ? m_levels.data() : nullptr,
                                                              nullptr, m_values.data(), &values));
        if (values !=
            std::count(m_levels.begin(), m_levels.begin() + static_cast<std::ptrdiff_t>(m_rows), m_full))
            throw parquet::ParquetException("a page has fewer values than it says");
        m_row = m_value = 0;
    }

    std::shared_ptr<parquet::TypedColumnReader<Physical>> m_reader;
    std::int16_t m_full; ///< definition level of a value that is there
    std::vector<std::int16_t> m_levels;
    std::vector<Value> m_values;
    std::size_t m_rows = 0;
    std::size_t m_row = 0;
    std::size_t m_value = 0;
};

using ParquetTexts = ParquetColumn<parquet::ByteArrayType>;

std::optional<std::string_view> viewOf(const std::optional<parquet::ByteArray>& value)
{
    if (!value)
        return std::nullopt;
    return std::string_view(reinterpret_cast<const char*>(value->ptr), value->len);
}

std::string typeOf(const parquet::ColumnDescriptor& column)
{
    std::string type = parquet::TypeToString(column.physical_type());
    if (column.max_repetition_level() > 0)
        return "lists of " + type;
    if (column.logical_type() && !column.logical_type()->is_none())
        type = column.logical_type()->ToString();
    return type;
}

bool holdsTexts(const parquet::ColumnDescriptor& column)
{
    const auto& logical = column.logical_type();
    return column.physical_type() == parquet::Type::BYTE_ARRAY && column.max_repetition_level() == 0 &&
           (!logical || logical->is_none() || logical->is_string() || logical->is_JSON() ||
            logical->is_enum());
}

std::vector<ColumnName> columnsOf(const parquet::SchemaDescriptor& schema)
{
    std::vector<ColumnName> columns;
    for (int i = 0; i < schema.num_columns(); ++i)
        columns.push_back({schema.Column(i)->path()->ToDotString(), typeOf(*schema.Column(i))});
    return columns;
}

/// -1 = there is none.
int indexOf(const parquet::SchemaDescriptor& schema, const std::string& name)
{
    for (int i = 0; i < schema.num_columns(); ++i) {
        if (schema.Column(i)->path()->ToDotString() == name)
            return i;
    }
    return -1;
}

class ParquetReader final : public TableReader {
public:
    /// Exceptions of the library leave this and next() as they are.
    ParquetReader(std::unique_ptr<parquet::ParquetFileReader> file, int text, TablePlace from)
        : m_file(std::move(file)), m_text(text), m_place(from)
    {
        const parquet::SchemaDescriptor& schema = *m_file->metadata()->schema();
        m_title = indexOf(schema, kTitleColumn);
        if (m_title >= 0 && !holdsTexts(*schema.Column(m_title)))
            m_title = -1;
        m_id = indexOf(schema, kIdColumn);
        if (m_id >= 0 && schema.Column(m_id)->max_repetition_level() > 0)
            m_id = -1;
    }

    Result<bool> next(TableRow& row) override
    {
        try {
            return readRow(row);
        } catch (const std::exception& problem) {
            return damagedTable(problem.what());
        }
    }
    TablePlace place() const override { return m_place; }
    double share() const override
    {
        const auto groups = static_cast<double>(m_file->metadata()->num_row_groups());
        const double inGroup =
            m_rows > 0 ? static_cast<double>(m_place.row) / static_cast<double>(m_rows) : 0;
        return groups > 0 ? (static_cast<double>(m_place.group) + inGroup) / groups : 1;
    }

private:
    bool readRow(TableRow& row)
    {
        while (!m_texts || m_place.row == m_rows) {
            if (m_texts)
                m_place = {m_place.group + 1, 0};
            m_texts.reset();
            if (m_place.group >= static_cast<std::uint64_t>(m_file->metadata()->num_row_groups()))
                return false;
            openGroup();
        }
        takeRow(row);
        ++m_place.row;
        return true;
    }

    void openGroup()
    {
        m_group = m_file->RowGroup(static_cast<int>(m_place.group));
        m_rows = static_cast<std::uint64_t>(m_group->metadata()->num_rows());
        m_texts.emplace(columnOf<parquet::ByteArrayType>(m_text));
        m_titles.reset();
        if (m_title >= 0)
            m_titles.emplace(columnOf<parquet::ByteArrayType>(m_title));
        openIds();
        TableRow passed;
        for (std::uint64_t i = 0; i < std::min(m_place.row, m_rows); ++i)
            takeRow(passed);
    }

    void openIds()
    {
        m_idTexts.reset();
        m_longIds.reset();
        m_shortIds.reset();
        if (m_id < 0)
            return;
        const parquet::ColumnDescriptor& column = *m_file->metadata()->schema()->Column(m_id);
        if (holdsTexts(column))
            m_idTexts.emplace(columnOf<parquet::ByteArrayType>(m_id));
        else if (column.physical_type() == parquet::Type::INT64)
            m_longIds.emplace(columnOf<parquet::Int64Type>(m_id));
        else if (column.physical_type() == parquet::Type::INT32)
            m_shortIds.emplace(columnOf<parquet::Int32Type>(m_id));
    }

    template <typename Physical>
    ParquetColumn<Physical> columnOf(int index)
    {
        return {m_group->Column(index), m_file->metadata()->schema()->Column(index)->max_definition_level()};
    }

    void takeRow(TableRow& row)
    {
        row = {};
        row.text = viewOf(m_texts->next());
        if (m_titles)
            row.title = viewOf(m_titles->next());
        if (m_idTexts)
            row.id = viewOf(m_idTexts->next());
        if (m_longIds)
            row.number = numberOf(m_longIds->next());
        if (m_shortIds)
            row.number = numberOf(m_shortIds->next());
    }

    template <typename Number>
    static std::optional<std::uint64_t> numberOf(std::optional<Number> value)
    {
        return value && *value >= 0 ? std::optional(static_cast<std::uint64_t>(*value)) : std::nullopt;
    }

    std::unique_ptr<parquet::ParquetFileReader> m_file;
    int m_text;
    int m_id = -1;    ///< -1 = there is none
    int m_title = -1; ///< likewise
    TablePlace m_place;
    std::shared_ptr<parquet::RowGroupReader> m_group;
    std::uint64_t m_rows = 0; ///< of the open group
    std::optional<ParquetTexts> m_texts, m_titles, m_idTexts;
    std::optional<ParquetColumn<parquet::Int64Type>> m_longIds;
    std::optional<ParquetColumn<parquet::Int32Type>> m_shortIds;
};

Result<std::unique_ptr<TableReader>> opened(const TableRequest& request)
{
    parquet::ReaderProperties properties(arrow::system_memory_pool());
    properties.set_page_checksum_verification(true);
    auto bytes = std::make_shared<arrow::io::BufferReader>(std::make_shared<arrow::Buffer>(request.bytes));
    auto file = parquet::ParquetFileReader::Open(std::move(bytes), properties);
    const parquet::SchemaDescriptor& schema = *file->metadata()->schema();
    const int text = indexOf(schema, request.column);
    if (text < 0)
        return missingColumn(request.column, columnsOf(schema));
    if (!holdsTexts(*schema.Column(text)))
        return notOfTexts(request.column, typeOf(*schema.Column(text)), columnsOf(schema));
    return std::unique_ptr<TableReader>(std::make_unique<ParquetReader>(std::move(file), text, request.from));
}

} // namespace

Result<std::unique_ptr<TableReader>> openParquet(const TableRequest& request)
{
    try {
        return opened(request);
    } catch (const std::exception& problem) {
        return damagedTable(problem.what());
    }
}

} // namespace trainyard
