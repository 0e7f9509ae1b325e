#pragma once

#include <QProcess>
#include <QStringList>

#include "tests/support/patience.h"

namespace trainyard {

struct ProgramOutcome {
    int status = -1;
    QString out;
    QString err;
};

/// Runs trainyard-prepare to its end.
inline ProgramOutcome runPrepareProgram(const QStringList& arguments)
{
    QProcess process;
    process.start(TRAINYARD_BIN_DIR "/trainyard-prepare", arguments);
    process.waitForFinished(kPatienceMs);
    return {process.exitCode(), QString::fromUtf8(process.readAllStandardOutput()),
            QString::fromUtf8(process.readAllStandardError())};
}

} // namespace trainyard
