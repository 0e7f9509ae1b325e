#pragma once

#include <chrono>

#include "engine/base/result.h"

class QSqlDatabase;

namespace trainyard {

/// Prepares an open database for the history of this version: creates the table in a new file, adds the
/// columns that an older one lacks, and turns on the write-ahead log. Refused when a newer version wrote the
/// file or another program has it locked for longer than `patience`; BadInput when it is a database of
/// another program. On errors the file is unchanged.
Status prepareHistorySchema(const QSqlDatabase& database, std::chrono::milliseconds patience);

} // namespace trainyard
