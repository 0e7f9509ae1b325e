#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "datasets/options/corpus_format.h"
#include "datasets/tables/table_reader.h"
#include "engine/base/mapped_file.h"

namespace trainyard {

/// The kind of the table whose file begins like this; nullopt = it is none.
std::optional<TableKind> tableKindOf(std::string_view head);
constexpr CorpusFormat formatOf(TableKind kind)
{
    return kind == TableKind::Parquet ? CorpusFormat::Parquet : CorpusFormat::Arrow;
}

/// Calls take(object, number) for each row of a Parquet or Arrow file, numbered from 1, until it returns an
/// error; see TableObjects. BadInput names the file, which must be such a table. Refused if the module is not
/// installed.
Status readTableObjects(const std::filesystem::path& path,
                        const std::function<Status(std::string_view object, std::size_t number)>& take);

/// A Parquet or Arrow file, read by the module lib/libtrainyard_tables.so of the program. One thread at a
/// time.
class TableFile {
public:
    /// BadInput names the file. Refused if the module is not installed.
    static Result<TableFile> open(const std::filesystem::path& path, TableKind kind,
                                  const std::string& column, TablePlace from = {});

    /// See TableReader; errors name the file.
    Result<bool> next(TableRow& row);
    TablePlace place() const { return m_reader->place(); }
    std::uint64_t fileOffset() const;

private:
    TableFile(std::string name, std::shared_ptr<const MappedFile> file, std::unique_ptr<TableReader> reader)
        : m_name(std::move(name)), m_file(std::move(file)), m_reader(std::move(reader))
    {
    }
    void countRead(const TableRow& row);

    std::string m_name;
    std::shared_ptr<const MappedFile> m_file;
    std::unique_ptr<TableReader> m_reader;
    std::uint64_t m_read = 0; ///< bytes of texts since pages were released
};

} // namespace trainyard
