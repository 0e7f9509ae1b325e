#pragma once

#include <QString>

#include "engine/base/result.h"

class QSqlError;

namespace trainyard {

/// Why something could not be done with the history in `file`: BadInput when the file is damaged or none of
/// ours, Refused when another program has locked it or the disk does not take or give it.
Error historyError(const QString& file, const QString& doing, const QSqlError& problem);

/// Another program works with the history just now.
bool isHistoryLocked(const QSqlError& problem);

/// Looks at what SQLite must not even open: Refused for a folder, a pipe, what cannot be reached; BadInput
/// for a damaged file that SQLite would take for a whole one.
Status checkHistoryFile(const QString& file);

} // namespace trainyard
