#include "remote/agent/links/dial.h"
#include "remote/agent/links/temporary_known_hosts.h"
#include "remote/agent/links/reach.h"
#include "remote/agent/serve/operations.h"
#include "remote/agent/serve/request.h"

namespace trainyard::agent {

namespace {

using nlohmann::json;
using Milliseconds = std::chrono::milliseconds;

constexpr std::size_t kMaxPeers = 1024;
constexpr std::int64_t kMaxPatienceMs = 20'000;
constexpr std::int64_t kMaxStreamMs = 5'000;

Result<LinkPeer> parsePeer(const json& entry)
{
    LinkPeer peer;
    const Fields fields(entry);
    if (!entry.is_object())
        return badInput("peers: an entry is not an object");
    TRAINYARD_TRY(peer.address, fields.text("address"));
    TRAINYARD_TRY(const std::int64_t port, fields.number("port", 1, UINT16_MAX));
    TRAINYARD_TRY(peer.token, fields.text("token"));
    peer.port = static_cast<std::uint16_t>(port);
    return peer;
}

Result<std::vector<LinkPeer>> parsePeers(const json& request)
{
    TRAINYARD_TRY(const json list, Fields(request).list("peers", kMaxPeers));
    std::vector<LinkPeer> peers;
    for (const json& entry : list) {
        TRAINYARD_TRY(LinkPeer peer, parsePeer(entry));
        peers.push_back(std::move(peer));
    }
    return peers;
}

Result<Milliseconds> patienceIn(const json& request)
{
    TRAINYARD_TRY(const std::int64_t patience,
                  Fields(request).numberOr("timeout_ms", 3000, 1, kMaxPatienceMs));
    return Milliseconds(patience);
}

json toJson(const LinkTrial& trial)
{
    if (!trial.error.empty())
        return {{"error", trial.error}};
    if (trial.bytesPerSecond > 0)
        return {{"bytes_per_second", trial.bytesPerSecond}};
    return {{"latency_ms", trial.latencyMs}};
}

Result<Answer> dial(const AgentContext&, const json& request)
{
    TRAINYARD_TRY(const auto peers, parsePeers(request));
    TRAINYARD_TRY(const Milliseconds patience, patienceIn(request));
    json trials = json::array();
    for (const LinkTrial& trial : dialAll(peers, patience))
        trials.push_back(toJson(trial));
    return Answer{{{"trials", std::move(trials)}}, {}};
}

Result<Answer> stream(const AgentContext&, const json& request)
{
    TRAINYARD_TRY(const LinkPeer peer, parsePeer(request));
    TRAINYARD_TRY(const Milliseconds patience, patienceIn(request));
    TRAINYARD_TRY(const std::int64_t duration,
                  Fields(request).numberOr("duration_ms", 1000, 1, kMaxStreamMs));
    return Answer{toJson(streamTo(peer, Milliseconds(duration), patience)), {}};
}

json toJson(const Reach& reach)
{
    return {{"host", reach.host}, {"error", reach.error}, {"orted", reach.orted}, {"noise", reach.noise}};
}

Result<Answer> reach(const AgentContext& context, const json& request)
{
    TRAINYARD_TRY(const json list, Fields(request).list("hosts", kMaxPeers));
    TRAINYARD_TRY(const Milliseconds patience, patienceIn(request));
    std::vector<std::string> hosts;
    for (const json& host : list)
        hosts.push_back(host.is_string() ? host.get<std::string>() : std::string());
    TRAINYARD_TRY(const auto lines, knownHostsIn(request));
    const TemporaryKnownHosts known(context.root, lines);
    TRAINYARD_TRY(const auto reached, reachAll(hosts, patience, known.option()));
    json answers = json::array();
    for (const Reach& one : reached)
        answers.push_back(toJson(one));
    return Answer{{{"hosts", std::move(answers)}}, {}};
}

} // namespace

const OperationTable& linkOperations()
{
    static const OperationTable table{{"dial", dial}, {"stream", stream}, {"reach", reach}};
    return table;
}

} // namespace trainyard::agent
