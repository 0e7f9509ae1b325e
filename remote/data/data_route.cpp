#include "remote/data/data_route.h"

#include <QJsonArray>

#include "remote/preflight/node_names.h"

namespace trainyard {

namespace {

constexpr int kMaxChildren = 4; // an agent has no more transfers to other hosts at a time
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

std::vector<Feed> feedsOf(const HostGroup& hosts, const HostGroup::Answers& answers)
{
    std::vector<std::vector<bool>> reached;
    for (int from = 0; from < hosts.size(); ++from)
        reached.push_back(reachedBy(hosts, from, answers[static_cast<std::size_t>(from)]));
    std::vector<Feed> feeds;
    std::vector<int> children(reached.size(), 0);
    for (int to = 0; to < hosts.size(); ++to) {
        const int from = senderFor(to, reached, children);
        feeds.push_back(from < 0 ? Feed{} : Feed{&hosts.target(from), pushTo(hosts.target(to))});
    }
    return feeds;
}

} // namespace

int senderFor(int host, const std::vector<std::vector<bool>>& reached, std::vector<int>& children)
{
    for (int from = host - 1; from >= 0; --from) {
        const auto at = static_cast<std::size_t>(from);
        if (!reached[at][static_cast<std::size_t>(host)] || children[at] >= kMaxChildren)
            continue;
        ++children[at];
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

void findRoute(HostGroup& hosts, QObject* context, std::function<void(const std::vector<Feed>&)> done)
{
    if (hosts.size() == 1) {
        QMetaObject::invokeMethod(
            context, [done = std::move(done)] { done({Feed{}}); }, Qt::QueuedConnection);
        return;
    }
    hosts.callAll([&hosts](int node) { return reachRequest(hosts, node); },
                  [&hosts, done = std::move(done)](const HostGroup::Answers& answers) {
                      done(feedsOf(hosts, answers));
                  });
}

} // namespace trainyard
