#pragma once

#include <QByteArray>
#include <QString>
#include <QStringList>

#include "tests/support/patience.h"

namespace trainyard::lab {

struct Finished {
    int status = -1; ///< exit status; -1 = did not end or could not start
    QByteArray output;
    QByteArray errors;

    bool ok() const { return status == 0; }
};

/// Runs a command to its end (at most `patienceMs`) and collects what it prints.
Finished runCommand(const QStringList& command, const QByteArray& input = {}, int patienceMs = kPatienceMs);

} // namespace trainyard::lab
