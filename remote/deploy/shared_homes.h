#pragma once

#include <optional>
#include <vector>

#include <QList>
#include <QSet>
#include <QStringList>

namespace trainyard {

/// Which hosts of a deployment keep the agent's folder on one disk, as the marks show that they found there
/// (op `mark`). The first of them that is heard of goes ahead; the others follow, for whom nothing is left to
/// send. A plain value.
class SharedHomes {
public:
    explicit SharedHomes(int hosts);

    /// What each host leaves on its disk.
    const QStringList& marks() const { return m_marks; }

    /// The host has found these marks; true when it goes ahead, false when it has to wait.
    bool meet(int host, const QSet<QString>& seen);
    /// The host is through; which of those that wait may go on now: all of them behind a success, one behind
    /// a failure, to go ahead in its place.
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
