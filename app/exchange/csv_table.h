#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>
#include <vector>

#include <QString>
#include <QStringList>

#include "engine/base/result.h"

namespace trainyard {

/// A cell that holds a number, or a time as seconds since 1970-01-01 UTC.
struct CsvCell {
    std::uint32_t row = 0; ///< without the heading, from 0
    double value = 0;
};

struct CsvColumn {
    QString name;               ///< without the ' that csvField() puts before what looks like a formula
    std::vector<CsvCell> cells; ///< in order of row; empty and other cells are left out
    std::size_t otherCells = 0; ///< with text that is neither number nor time
};

/// A table of numbers from a text file, RFC 4180 as people write it: divided by comma, semicolon, tabulator
/// or bar, with or without a heading, quoted cells, any line ends, a byte order mark, a decimal comma where
/// commas do not divide.
struct CsvTable {
    char delimiter = ',';
    bool hasHeading = false; ///< else columns are called "column 1", ...
    std::uint32_t rows = 0;
    std::vector<CsvColumn> columns;

    QStringList names() const;
    const CsvColumn* column(const QString& name) const; ///< null = there is none; case does not matter
};

/// BadInput for a text without numbers, an unclosed quotation mark (with its line), more than 10 000 columns
/// or more than 2^32 rows.
Result<CsvTable> parseCsv(std::string_view text);
Result<CsvTable> readCsv(const std::filesystem::path& file);

} // namespace trainyard
