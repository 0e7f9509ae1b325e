#include "remote/data/data_route.h"

#include <memory>

#include <QJsonArray>

#include "remote/data/route_search.h"
#include "remote/preflight/node_names.h"

namespace trainyard {

namespace {

constexpr qint64 kReachMs = 5000;

/// A search that is under way.
struct Search {
    HostGroup& hosts;
    RouteSearch route;
    std::function<void(const Route&)> done;
};

std::vector<bool> localOnes(const HostGroup& hosts)
{
    std::vector<bool> local;
    for (const Target* target : hosts.targets())
        local.push_back(target->isLocal());
    return local;
}

QJsonObject reachRequest(const HostGroup& hosts, const QList<int>& tried)
{
    QJsonArray names;
    QList<Target*> targets;
    for (const int host : tried) {
        names << nameForMpi(hosts.hosts()[host]);
        targets << &hosts.target(host);
    }
    return {
        {"op", "reach"}, {"hosts", names}, {"timeout_ms", kReachMs}, {"known_hosts", knownHostsOf(targets)}};
}

/// A host that cannot answer reaches nobody.
void take(Search& search, int from, const QList<int>& tried, const Result<QJsonObject>& reply)
{
    const QJsonArray answers = reply.ok() ? reply->value("hosts").toArray() : QJsonArray();
    for (qsizetype i = 0; i < std::min(tried.size(), answers.size()); ++i) {
        if (answers[i].toObject().value("error").toString().isEmpty())
            search.route.reached(from, tried[i]);
    }
}

Route routeOf(const Search& search)
{
    Route route;
    for (int host = 0; host < search.hosts.size(); ++host) {
        std::vector<Feed>& feeds = route.emplace_back();
        for (const int from : search.route.sendersOf(host))
            feeds.push_back({&search.hosts.target(from), pushTo(search.hosts.target(host))});
    }
    return route;
}

void askRound(const std::shared_ptr<Search>& search)
{
    QList<QList<int>> tried;
    for (int from = 0; from < search->hosts.size(); ++from)
        tried << search->route.triedBy(from);
    search->hosts.callAll([&](int from) { return reachRequest(search->hosts, tried[from]); },
                          [search, tried](const HostGroup::Answers& answers) {
                              for (int from = 0; from < search->hosts.size(); ++from)
                                  take(*search, from, tried[from], answers[static_cast<std::size_t>(from)]);
                              if (search->route.next())
                                  askRound(search);
                              else
                                  search->done(routeOf(*search));
                          });
}

} // namespace

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
    askRound(std::make_shared<Search>(Search{hosts, RouteSearch(localOnes(hosts)), std::move(done)}));
}

} // namespace trainyard
