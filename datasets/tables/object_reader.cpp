#include "datasets/tables/object_reader.h"

#include <vector>

#include <arrow/io/memory.h>
#include <arrow/ipc/reader.h>
#include <arrow/memory_pool.h>
#include <arrow/record_batch.h>
#include <arrow/util/key_value_metadata.h>
#include <parquet/arrow/reader.h>
#include <parquet/properties.h>

#include "datasets/tables/arrow_reader.h"
#include "datasets/tables/class_names.h"
#include "datasets/tables/column_problem.h"
#include "datasets/tables/json_value.h"

namespace trainyard {

namespace {

constexpr std::int64_t kRowsPerBatch = 1024;

/// Batches with what they are read from.
struct OpenTable {
    std::unique_ptr<parquet::arrow::FileReader> file; ///< null of Arrow
    std::shared_ptr<arrow::RecordBatchReader> batches;
};

arrow::Result<OpenTable> openBatches(const std::shared_ptr<arrow::io::BufferReader>& bytes)
{
    auto options = arrow::ipc::IpcReadOptions::Defaults();
    options.memory_pool = arrow::system_memory_pool();
    options.use_threads = false;
    OpenTable table;
    ARROW_ASSIGN_OR_RAISE(table.batches, arrow::ipc::RecordBatchStreamReader::Open(bytes, options));
    return table;
}

arrow::Result<OpenTable> openRowGroups(const std::shared_ptr<arrow::io::BufferReader>& bytes)
{
    parquet::ReaderProperties checks(arrow::system_memory_pool());
    checks.set_page_checksum_verification(true);
    parquet::ArrowReaderProperties properties(/*use_threads=*/false);
    properties.set_batch_size(kRowsPerBatch);
    parquet::arrow::FileReaderBuilder builder;
    ARROW_RETURN_NOT_OK(builder.Open(bytes, checks));
    OpenTable table;
    ARROW_RETURN_NOT_OK(
        builder.memory_pool(arrow::system_memory_pool())->properties(properties)->Build(&table.file));
    ARROW_ASSIGN_OR_RAISE(table.batches, table.file->GetRecordBatchReader());
    return table;
}

class ObjectReader final : public TableObjects {
public:
    explicit ObjectReader(OpenTable table)
        : m_table(std::move(table)), m_names(ClassNames::of(*m_table.batches->schema()))
    {
    }

    Result<bool> next(std::string& object) override
    {
        try {
            while (!m_batch || m_row == m_batch->num_rows()) {
                if (const arrow::Status status = fetch(); !status.ok())
                    return damagedTable(status.message());
                if (!m_batch)
                    return false;
            }
            object = objectAt(m_row++).dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
            return true;
        } catch (const std::exception& problem) {
            return damagedTable(problem.what());
        }
    }

private:
    arrow::Status fetch()
    {
        m_row = 0;
        ARROW_RETURN_NOT_OK(m_table.batches->ReadNext(&m_batch));
        return m_batch ? m_batch->ValidateFull() : arrow::Status();
    }

    nlohmann::ordered_json objectAt(std::int64_t row) const
    {
        auto object = nlohmann::ordered_json::object();
        for (int i = 0; i < m_batch->num_columns(); ++i) {
            const std::string& name = m_batch->column_name(i);
            if (isJsonType(*m_batch->column(i)->type()))
                object[name] = m_names.named(name, jsonAt(*m_batch->column(i), row));
        }
        return object;
    }

    OpenTable m_table;
    ClassNames m_names;
    std::shared_ptr<arrow::RecordBatch> m_batch;
    std::int64_t m_row = 0; ///< of the batch
};

} // namespace

Result<std::unique_ptr<TableObjects>> openTableObjects(TableKind kind, std::string_view bytes)
{
    const bool isParquet = kind == TableKind::Parquet;
    TRAINYARD_TRY(const std::string_view content,
                  isParquet ? Result<std::string_view>(bytes) : arrowStreamOf(kind, bytes));
    const auto reader = std::make_shared<arrow::io::BufferReader>(std::make_shared<arrow::Buffer>(content));
    try {
        auto table = isParquet ? openRowGroups(reader) : openBatches(reader);
        if (!table.ok())
            return damagedTable(table.status().message());
        return std::unique_ptr<TableObjects>(std::make_unique<ObjectReader>(std::move(*table)));
    } catch (const std::exception& problem) {
        return damagedTable(problem.what());
    }
}

} // namespace trainyard
