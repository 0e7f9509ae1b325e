#include "remote/deploy/shared_homes.h"

#include "remote/wire/greeting.h"

namespace trainyard {

SharedHomes::SharedHomes(int hosts) : m_hosts(static_cast<std::size_t>(hosts))
{
    for (int host = 0; host < hosts; ++host)
        m_marks << QString::fromStdString(makeNonce());
}

bool SharedHomes::meet(int host, const QSet<QString>& seen)
{
    Host& self = m_hosts[static_cast<std::size_t>(host)];
    self.seen = seen;
    self.met = true;
    self.follows = leaderFor(host);
    return !self.follows || m_hosts[static_cast<std::size_t>(*self.follows)].succeeded;
}

/// Sight counts both ways: who looked before the other had come saw nothing.
std::optional<int> SharedHomes::leaderFor(int host) const
{
    const Host& self = m_hosts[static_cast<std::size_t>(host)];
    for (int other = 0; other < static_cast<int>(m_hosts.size()); ++other) {
        const Host& neighbour = m_hosts[static_cast<std::size_t>(other)];
        const bool together = self.seen.contains(m_marks[other]) || neighbour.seen.contains(m_marks[host]);
        if (other == host || !neighbour.met || !together)
            continue;
        const int leader = neighbour.follows.value_or(other);
        const Host& first = m_hosts[static_cast<std::size_t>(leader)];
        if (!first.over || first.succeeded)
            return leader;
    }
    return std::nullopt;
}

QList<int> SharedHomes::release(int host, bool succeeded)
{
    m_hosts[static_cast<std::size_t>(host)].over = true;
    m_hosts[static_cast<std::size_t>(host)].succeeded = succeeded;
    QList<int> waiting;
    for (int other = 0; other < static_cast<int>(m_hosts.size()); ++other) {
        const Host& follower = m_hosts[static_cast<std::size_t>(other)];
        if (follower.follows == host && !follower.over)
            waiting << other;
    }
    if (succeeded || waiting.isEmpty())
        return waiting;
    const int next = waiting.takeFirst();
    m_hosts[static_cast<std::size_t>(next)].follows.reset();
    for (const int other : waiting)
        m_hosts[static_cast<std::size_t>(other)].follows = next;
    return {next};
}

} // namespace trainyard
