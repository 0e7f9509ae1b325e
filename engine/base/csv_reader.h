#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"

namespace trainyard {

/// Reads the rows of a table from a text: RFC 4180 as people write it, with quoted cells (also over several
/// lines), any line ends, a byte order mark and blanks around cells. Skips empty lines. Keeps a view of the
/// text.
class CsvReader {
public:
    static constexpr std::size_t kMaxColumns = 10'000;

    explicit CsvReader(std::string_view text, char delimiter = ',');

    /// Reads the next row, without quotation marks and blanks around cells. Returns false at the end.
    /// BadInput, with the line, for a wrong quotation mark or more than kMaxColumns cells.
    Result<bool> next(std::vector<std::string>& cells);
    /// Returns the line, from 1, where the last row begins.
    std::size_t line() const { return m_line; }

private:
    bool take(char character);
    Status readRow(std::vector<std::string>& cells);
    Status readCell(std::string& cell);
    Status readQuoted(std::string& cell);
    Error problemAt(std::string_view place, const std::string& what, const char* fix) const;

    std::string_view m_row; ///< from the last row to the end
    std::string_view m_rest;
    char m_delimiter;
    std::size_t m_line = 1;
};

} // namespace trainyard
