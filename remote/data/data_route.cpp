#include "remote/data/data_route.h"

#include <QJsonArray>

#include "remote/preflight/node_names.h"

namespace trainyard {

namespace {

constexpr qint64 kReachMs = 5000;

QJsonObject reachRequest(const HostGroup& hosts, int from)
{
    QJsonArray names;
    for (int to = from + 1; to < hosts.size(); ++to)
        names << nameForMpi(hosts.hosts()[to]);
    return {{"op", "reach"},
            {"hosts", names},
            {"timeout_ms", kReachMs},
            {"known_hosts", knownHostsOf(hosts.targets().mid(from + 1))}};
}

/// Of the later hosts, as `from` answered. One of this machine has no name for others.
std::vector<bool> reachedBy(const HostGroup& hosts, int from, const Result<QJsonObject>& reply)
{
    std::vector<bool> reached(static_cast<std::size_t>(hosts.size()), false);
    if (!reply.ok() || hosts.target(from).isLocal())
        return reached;
    const QJsonArray answers = reply->value("hosts").toArray();
    for (int to = from + 1; to < hosts.size(); ++to)
        reached[static_cast<std::size_t>(to)] =
            !hosts.target(to).isLocal() && to - from - 1 < answers.size() &&
            answers[to - from - 1].toObject().value("error").toString().isEmpty();
    return reached;
}

Route routeOf(const HostGroup& hosts, const HostGroup::Answers& answers)
{
    std::vector<std::vector<bool>> reached;
    for (int from = 0; from < hosts.size(); ++from)
        reached.push_back(reachedBy(hosts, from, answers[static_cast<std::size_t>(from)]));
    Route route;
    for (int to = 0; to < hosts.size(); ++to) {
        route.emplace_back();
        if (const int from = senderFor(to, reached); from >= 0)
            route.back().push_back({&hosts.target(from), pushTo(hosts.target(to))});
    }
    return route;
}

} // namespace

int senderFor(int host, const std::vector<std::vector<bool>>& reached)
{
    for (int from = host - 1; from >= 0; --from) {
        if (reached[static_cast<std::size_t>(from)][static_cast<std::size_t>(host)])
            return from;
    }
    return -1;
}

QJsonObject pushTo(Target& host)
{
    const auto agent = host.agent();
    return {{"op", "push"},
            {"host", nameForMpi(host.host())},
            {"agent", agent ? agent->sha256 : QString()},
            {"root", agent ? agent->root : QString()},
            {"known_hosts", knownHostsOf({&host})}};
}

void findRoute(HostGroup& hosts, std::function<void(const Route&)> done)
{
    if (hosts.size() == 1) {
        QMetaObject::invokeMethod(
            &hosts, [done = std::move(done)] { done(Route(1)); }, Qt::QueuedConnection);
        return;
    }
    hosts.callAll([&hosts](int node) { return reachRequest(hosts, node); },
                  [&hosts, done = std::move(done)](const HostGroup::Answers& answers) {
                      done(routeOf(hosts, answers));
                  });
}

} // namespace trainyard
