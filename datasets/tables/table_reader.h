#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "engine/base/result.h"

namespace trainyard {

// The border between trainyard-prepare and libtrainyard_tables.so, which it opens where a file is Parquet or
// Arrow. Both come from one build: kTableModuleVersion guards against mixed bundles.

/// A row of a table. Texts are not validated, belong to the reader and are valid until its next call.
struct TableRow {
    std::optional<std::string_view> text; ///< nullopt = null
    std::optional<std::string_view> id;   ///< of the column "id", if it has texts
    std::optional<std::uint64_t> number;  ///< of the column "id", if it has whole numbers, not below 0
    std::optional<std::string_view> title;
};

/// A place between two rows.
struct TablePlace {
    std::uint64_t group = 0; ///< row groups of Parquet, or record batches of Arrow, before it
    std::uint64_t row = 0;   ///< rows of that group before it
};

/// Reads some columns of a table row by row: memory holds a page of each column, of Arrow a batch if it is
/// compressed. One thread at a time. Errors are BadInput and do not name the file.
class TableReader {
public:
    virtual ~TableReader() = default;

    /// Returns false at the end.
    virtual Result<bool> next(TableRow& row) = 0;
    /// Returns the place behind the last row.
    virtual TablePlace place() const = 0;
    /// Returns how much of the file next() has used, from 0 to 1.
    virtual double share() const = 0;
};

/// Reads all columns of a table row by row; memory holds some rows of a row group, or a batch. One thread at
/// a time. Errors are BadInput and do not name the file.
class TableObjects {
public:
    virtual ~TableObjects() = default;

    /// The next row as a JSON object in one line, with the columns in their order; false at the end. Times
    /// are seconds since 1970; columns of types that JSON has no word for, such as durations, are left out.
    /// Classes that a data set of Hugging Face names are their names.
    virtual Result<bool> next(std::string& object) = 0;
};

enum class TableKind : std::uint8_t { Parquet, ArrowFile, ArrowStream };

struct TableRequest {
    TableKind kind = TableKind::Parquet;
    std::string_view bytes; ///< of the whole file; must outlive the reader
    std::string column;     ///< with the texts
    TablePlace from;
};

constexpr const char* kTableModuleFile = "libtrainyard_tables.so";
constexpr const char* kTableModuleEntry = "trainyardTableModule";
constexpr int kTableModuleVersion = 2;

struct TableModule {
    int version;
    /// BadInput if the file is damaged, or has no such column of texts.
    Result<std::unique_ptr<TableReader>> (*open)(const TableRequest& request);
    /// BadInput if the file is damaged. `bytes`, of the whole file, must outlive the reader.
    Result<std::unique_ptr<TableObjects>> (*openObjects)(TableKind kind, std::string_view bytes);
};
using TableModuleEntry = const TableModule* (*)();

} // namespace trainyard
