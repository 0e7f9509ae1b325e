#pragma once

#include <QString>

#include "engine/base/result.h"

class QSqlError;

namespace trainyard {

/// Describes why `doing` failed on the history in `file`: BadInput when the file is damaged or not a history,
/// Refused when another program has locked it or the disk fails or is full.
Error historyError(const QString& file, const QString& doing, const QSqlError& problem);

/// True when another program has locked the history.
bool isHistoryLocked(const QSqlError& problem);

/// Checks for files that SQLite must not open: Refused for a folder, a pipe or an unreachable file; BadInput
/// for a damaged file that SQLite would accept.
Status checkHistoryFile(const QString& file);

} // namespace trainyard
