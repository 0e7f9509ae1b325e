#pragma once

#include <QProcess>
#include <QString>
#include <QStringList>

namespace trainyard {

/// Runs write_tables.py, whose arguments these are.
inline bool writeTables(const QStringList& arguments)
{
    return QProcess::execute(TRAINYARD_SOURCE_DIR "/tests/auto/input/write_tables.py", arguments) == 0;
}

} // namespace trainyard
