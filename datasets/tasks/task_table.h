#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"

namespace trainyard {

/// A table of texts in memory.
struct TaskTable {
    struct Row {
        std::size_t line = 0;           ///< of the file, from 1, where the row begins
        std::vector<std::string> cells; ///< as many as columns
        std::vector<std::size_t> nested{}; ///< columns whose cell is a JSON list or object, as its text
    };
    std::filesystem::path file;
    std::vector<std::string> columns; ///< names; "1", "2" ... without a header
    std::vector<Row> rows;

    /// The column of that name, or of that number from 1.
    std::optional<std::size_t> find(std::string_view column) const;
};

/// Reads a file by the end of its name: .csv (RFC 4180), .parquet or .arrow, .jsonl or .json (one object per
/// line, whose keys are the columns), any other as lines with cells between tabs and no quotation, as GLUE
/// has them. With `noHeader` the first row is one as the others. BadInput names file and line where a row has
/// another number of cells than the header or a line is no JSON object.
Result<TaskTable> readTaskTable(const std::filesystem::path& file, bool noHeader);

} // namespace trainyard
