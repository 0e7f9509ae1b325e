#pragma once

#include <QByteArray>

namespace trainyard {

/// Returns whether a data job may read Parquet or Arrow files, from its job.json: only its host knows their
/// content, so that is true unless --format or every name says otherwise. Of examples of a task the names
/// decide.
bool mayReadTables(const QByteArray& job);

} // namespace trainyard
