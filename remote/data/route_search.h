#pragma once

#include <vector>

#include <QList>

namespace trainyard {

/// Finds for each host of a list an earlier one that can log in to it, by few logins: the host before it is
/// tried, then the first one, then some others. A host that none of them reaches has no sender. At most eight
/// hosts log in to one at a time: sshd drops more (MaxStartups). A plain value.
class RouteSearch {
public:
    /// `isLocal`: this machine, which the others have no name for.
    explicit RouteSearch(std::vector<bool> isLocal);

    /// The hosts that `from` has to try in this round.
    QList<int> triedBy(int from) const;
    /// `from` can log in to `to`. After the round; of several the last one counts.
    void reached(int from, int to) { m_sender[static_cast<std::size_t>(to)] = from; }
    /// Goes to the next round; false when there is none, or every host has a sender.
    bool next();

    /// The sender of a host, then the sender's own one, and so on: who is not known to reach it may still do
    /// when the others fail. At most three; empty = none reaches it.
    QList<int> sendersOf(int host) const;

private:
    bool isTried(int from, int to) const;
    bool lacksSender(int host) const;

    std::vector<bool> m_isLocal;
    std::vector<int> m_sender; ///< -1 = none
    int m_round = 0;
};

} // namespace trainyard
