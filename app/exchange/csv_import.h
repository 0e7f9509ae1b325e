#pragma once

#include <filesystem>
#include <vector>

#include "app/exchange/csv_table.h"
#include "app/exchange/loaded_run.h"

namespace trainyard {

/// The roles of the columns of a table.
struct CsvColumns {
    QString step;       ///< empty: rows are counted from 1
    QString time;       ///< seconds (or milliseconds) since 1970 or a date; empty: not known
    QStringList series; ///< to import
};

/// By their names: "step", "iteration", "_timestamp", "Wall time"; every other column that holds numbers is a
/// series.
CsvColumns guessColumns(const CsvTable& table);

/// The runs in a table: usually one, called `name`. The table of a W&B chart has several, with columns "<run>
/// - <series>"; its "__MIN" and "__MAX" are skipped. BadInput names `source` and a column that is missing or
/// has no numbers, and is returned for a table without any.
Result<std::vector<LoadedRun>> loadCsv(const CsvTable& table, const CsvColumns& columns, const QString& name,
                                       const QString& source);

} // namespace trainyard
