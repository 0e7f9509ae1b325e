#include "datasets/tables/arrow_reader.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include <arrow/io/memory.h>
#include <arrow/ipc/reader.h>
#include <arrow/memory_pool.h>
#include <arrow/record_batch.h>

#include "datasets/tables/arrow_column.h"
#include "datasets/tables/column_problem.h"

namespace trainyard {

namespace {

using Batch = std::shared_ptr<arrow::RecordBatch>;

/// The batches of a stream; null = there are no more. Those of a file are a stream between its magic and its
/// footer: read as such, nothing is copied.
class Batches {
public:
    static arrow::Result<Batches> open(std::string_view stream, const arrow::ipc::IpcReadOptions& options)
    {
        Batches batches;
        batches.m_bytes = std::make_shared<arrow::io::BufferReader>(std::make_shared<arrow::Buffer>(stream));
        ARROW_ASSIGN_OR_RAISE(batches.m_stream,
                              arrow::ipc::RecordBatchStreamReader::Open(batches.m_bytes, options));
        batches.m_size = static_cast<double>(stream.size());
        return batches;
    }

    std::shared_ptr<arrow::Schema> schema() const { return m_stream->schema(); }

    arrow::Result<Batch> next()
    {
        m_before = m_after;
        auto batch = m_stream->Next();
        ARROW_ASSIGN_OR_RAISE(m_after, m_bytes->Tell());
        return batch;
    }
    /// Passes over that many batches.
    arrow::Status pass(std::uint64_t batches)
    {
        for (; batches > 0; --batches)
            ARROW_RETURN_NOT_OK(next());
        return {};
    }
    /// Of the stream, when that share of the last batch is used.
    double share(double ofBatch) const
    {
        return (static_cast<double>(m_before) + ofBatch * static_cast<double>(m_after - m_before)) / m_size;
    }

private:
    std::shared_ptr<arrow::io::BufferReader> m_bytes;
    std::shared_ptr<arrow::ipc::RecordBatchStreamReader> m_stream;
    std::int64_t m_before = 0; ///< the last batch
    std::int64_t m_after = 0;
    double m_size = 1;
};

std::vector<ColumnName> columnsOf(const arrow::Schema& schema)
{
    std::vector<ColumnName> columns;
    for (const auto& field : schema.fields())
        columns.push_back({field->name(), field->type()->ToString()});
    return columns;
}

class ArrowReader final : public TableReader {
public:
    ArrowReader(Batches batches, std::string column, TablePlace from)
        : m_batches(std::move(batches))
        , m_column(std::move(column))
        , m_place{from.group, 0}
        , m_passed(from.row)
    {
    }

    Result<bool> next(TableRow& row) override
    {
        while (!m_batch || m_place.row == static_cast<std::uint64_t>(m_batch->num_rows())) {
            if (m_batch)
                m_place = {m_place.group + 1, 0};
            if (const arrow::Status status = fetch(); !status.ok())
                return damagedTable(status.message());
            if (!m_batch)
                return false;
            m_place.row =
                std::min(std::exchange(m_passed, 0), static_cast<std::uint64_t>(m_batch->num_rows()));
        }
        take(row, static_cast<std::int64_t>(m_place.row++));
        return true;
    }
    TablePlace place() const override { return m_place; }
    double share() const override
    {
        const auto rows = static_cast<double>(m_batch ? m_batch->num_rows() : 0);
        return m_batches.share(rows > 0 ? static_cast<double>(m_place.row) / rows : 1);
    }

private:
    arrow::Status fetch()
    {
        m_ids.reset();
        m_titles.reset();
        m_numbers.reset();
        ARROW_ASSIGN_OR_RAISE(m_batch, m_batches.next());
        if (!m_batch)
            return {};
        ARROW_ASSIGN_OR_RAISE(m_texts, ArrowTexts::of(m_batch->GetColumnByName(m_column)));
        if (const auto titles = m_batch->GetColumnByName(kTitleColumn);
            titles && isTextType(*titles->type())) {
            ARROW_ASSIGN_OR_RAISE(m_titles, ArrowTexts::of(titles));
        }
        const auto ids = m_batch->GetColumnByName(kIdColumn);
        if (ids && isTextType(*ids->type())) {
            ARROW_ASSIGN_OR_RAISE(m_ids, ArrowTexts::of(ids));
        } else if (ids) {
            ARROW_RETURN_NOT_OK(ids->ValidateFull());
            m_numbers = ids;
        }
        return {};
    }

    void take(TableRow& row, std::int64_t at) const
    {
        row = {};
        row.text = m_texts->at(at);
        if (m_titles)
            row.title = m_titles->at(at);
        if (m_ids)
            row.id = m_ids->at(at);
        if (m_numbers)
            row.number = numberAt(*m_numbers, at);
    }

    Batches m_batches;
    std::string m_column;
    TablePlace m_place;
    std::uint64_t m_passed; ///< rows of the first batch to pass over
    Batch m_batch;
    std::optional<ArrowTexts> m_texts, m_ids, m_titles;
    std::shared_ptr<arrow::Array> m_numbers;
};

arrow::ipc::IpcReadOptions readOptions()
{
    auto options = arrow::ipc::IpcReadOptions::Defaults();
    options.memory_pool = arrow::system_memory_pool();
    options.use_threads = false;
    return options;
}

/// Fields that next() reads; others are neither copied nor decompressed.
std::vector<int> fieldsOf(const arrow::Schema& schema, const std::string& column)
{
    std::vector<int> fields;
    for (const std::string& name : {column, std::string(kIdColumn), std::string(kTitleColumn)}) {
        const int index = schema.GetFieldIndex(name);
        if (index >= 0 && std::find(fields.begin(), fields.end(), index) == fields.end())
            fields.push_back(index);
    }
    return fields;
}

} // namespace

/// The stream in a file: magic and padding, stream, footer, its length, magic.
Result<std::string_view> arrowStreamOf(TableKind kind, std::string_view bytes)
{
    constexpr std::string_view kMagic = "ARROW1";
    constexpr std::size_t kFront = 8;
    constexpr std::size_t kBack = sizeof(std::int32_t) + kMagic.size();
    if (kind == TableKind::ArrowStream)
        return bytes;
    if (bytes.size() < kFront + kBack || !bytes.ends_with(kMagic))
        return damagedTable("it does not end as an Arrow file does");
    std::int32_t footer = 0;
    std::memcpy(&footer, bytes.data() + bytes.size() - kBack, sizeof footer);
    if (footer < 0 || static_cast<std::size_t>(footer) > bytes.size() - kFront - kBack)
        return damagedTable("its footer has a wrong length");
    return bytes.substr(kFront, bytes.size() - kFront - kBack - static_cast<std::size_t>(footer));
}

Result<std::unique_ptr<TableReader>> openArrow(const TableRequest& request)
{
    TRAINYARD_TRY(const std::string_view stream, arrowStreamOf(request.kind, request.bytes));
    auto options = readOptions();
    const auto whole = Batches::open(stream, options);
    if (!whole.ok())
        return damagedTable(whole.status().message());
    const auto schema = whole->schema();
    const auto field = schema->GetFieldByName(request.column);
    if (!field)
        return missingColumn(request.column, columnsOf(*schema));
    if (!isTextType(*field->type()))
        return notOfTexts(request.column, field->type()->ToString(), columnsOf(*schema));
    options.included_fields = fieldsOf(*schema, request.column);
    auto batches = Batches::open(stream, options);
    if (!batches.ok())
        return damagedTable(batches.status().message());
    if (const arrow::Status passed = batches->pass(request.from.group); !passed.ok())
        return damagedTable(passed.message());
    return std::unique_ptr<TableReader>(
        std::make_unique<ArrowReader>(std::move(*batches), request.column, request.from));
}

} // namespace trainyard
