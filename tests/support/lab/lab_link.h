#pragma once

#include <QJsonObject>
#include <QProcess>
#include <QString>

#include "tests/support/link/link_conditions.h"

namespace trainyard::lab {

/// A host's cable to the bridge when it is the link tool (`tests/support/link`): made at start, gone at the
/// end. GUI thread; calls wait for the tool's answer.
class LabLink {
public:
    struct Options {
        QString interface; ///< name on the bridge's side; "eth0" on the host's
        qint64 hostPid = 0;
        quint64 seed = 1; ///< of every random decision
    };
    ~LabLink();

    /// Empty when both interfaces are there (not yet up); otherwise what went wrong.
    QString start(const Options& options);
    /// From the next frame on; what is under way arrives as it would have. Empty, or what went wrong.
    QString set(const link::LinkConditions& toHost, const link::LinkConditions& fromHost);
    /// {"to_host": {"frames": n, "bytes": n, "delivered": n, "blocked": n, "lost": n, "overflowed": n,
    /// "corrupted": n, "duplicated": n, "reordered": n, "refused": n}, "from_host": {…}} since the start.
    QJsonObject counters();

private:
    QByteArray ask(const QByteArray& line);

    QProcess m_tool;
};

} // namespace trainyard::lab
