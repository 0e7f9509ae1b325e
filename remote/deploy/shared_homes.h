#pragma once

#include <optional>
#include <vector>

#include <QList>
#include <QSet>
#include <QStringList>

namespace trainyard {

/// Finds the hosts of a deployment that keep the agent's folder on the same disk, from the marks found there
/// (op `mark`). The first to report proceeds; the others wait, and then have nothing left to receive. A plain
/// value.
class SharedHomes {
public:
    explicit SharedHomes(int hosts);

    /// What each host leaves on its disk.
    const QStringList& marks() const { return m_marks; }

    /// The host found these marks; returns true when it may proceed, false when it must wait.
    bool meet(int host, const QSet<QString>& seen);
    /// The host is done; returns the waiting hosts that may proceed: all after a success, one after a
    /// failure, in its place.
    QList<int> release(int host, bool succeeded);

private:
    struct Host {
        QSet<QString> seen;
        std::optional<int> follows;
        bool met = false;
        bool over = false;
        bool succeeded = false;
    };
    std::optional<int> leaderFor(int host) const;

    QStringList m_marks;
    std::vector<Host> m_hosts;
};

} // namespace trainyard
