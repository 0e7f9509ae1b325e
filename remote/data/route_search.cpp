#include "remote/data/route_search.h"

#include <utility>

namespace trainyard {

namespace {

constexpr int kRounds = 3;
constexpr int kMaxLoginsAtOnce = 8; // to one sshd, which refuses some from the tenth on
constexpr int kMaxSenders = 3;

} // namespace

RouteSearch::RouteSearch(std::vector<bool> isLocal)
    : m_isLocal(std::move(isLocal)), m_sender(m_isLocal.size(), -1)
{
}

bool RouteSearch::lacksSender(int host) const
{
    const auto at = static_cast<std::size_t>(host);
    return host > 0 && !m_isLocal[at] && m_sender[at] < 0;
}

bool RouteSearch::isTried(int from, int to) const
{
    switch (m_round) {
    case 0:
        return from == to - 1;
    case 1:
        return from == 0 && to > 1;
    default:
        return from > 0 && from < to - 1 && from >= to - 1 - kMaxLoginsAtOnce;
    }
}

QList<int> RouteSearch::triedBy(int from) const
{
    QList<int> hosts;
    if (m_isLocal[static_cast<std::size_t>(from)])
        return hosts;
    for (int to = from + 1; to < static_cast<int>(m_sender.size()); ++to) {
        if (isTried(from, to) && lacksSender(to))
            hosts << to;
    }
    return hosts;
}

bool RouteSearch::next()
{
    bool isComplete = true;
    for (int host = 0; host < static_cast<int>(m_sender.size()); ++host)
        isComplete &= !lacksSender(host);
    return !isComplete && ++m_round < kRounds;
}

QList<int> RouteSearch::sendersOf(int host) const
{
    QList<int> senders;
    for (int from = m_sender[static_cast<std::size_t>(host)]; from >= 0 && senders.size() < kMaxSenders;
         from = m_sender[static_cast<std::size_t>(from)])
        senders << from;
    return senders;
}

} // namespace trainyard
