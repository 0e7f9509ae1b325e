#include "remote/agent/supervise/elastic_world.h"

#include <algorithm>

#include <fmt/format.h>

#include "engine/spec/elastic.h"
#include "engine/spec/spec_json.h"

namespace trainyard::agent {

namespace {

bool isAway(const LaunchRequest& request, const std::string& host)
{
    return std::ranges::find(request.away, host) != request.away.end();
}

} // namespace

std::vector<LaunchNode> presentNodes(const LaunchRequest& request)
{
    std::vector<LaunchNode> present = request.nodes;
    std::erase_if(present, [&](const LaunchNode& node) { return isAway(request, node.host); });
    return present;
}

std::vector<std::string> otherHosts(const LaunchRequest& request)
{
    std::vector<std::string> hosts;
    for (std::size_t node = 1; node < request.nodes.size(); ++node)
        hosts.push_back(request.nodes[node].host);
    return hosts;
}

Result<LaunchRequest> withoutHosts(const LaunchRequest& request, const std::vector<std::string>& away,
                                   const RunSpec& spec)
{
    LaunchRequest changed = request;
    changed.away = away;
    int slotsThere = 0;
    for (const LaunchNode& node : presentNodes(changed))
        slotsThere += node.slotCount;
    TRAINYARD_TRY(const RunSpec fitted, fittedTo(spec, slotsThere));
    if (fitted.layout.data < request.leastReplicas)
        return refused(fmt::format("{} of at least {} data-parallel ranks are left: according to the plan, "
                                   "each would need more memory than its host has",
                                   fitted.layout.data, request.leastReplicas));
    changed.replicas = fitted.layout.data == spec.layout.data ? 0 : fitted.layout.data;
    return changed;
}

Result<RunWork> workOf(const LaunchRequest& request, const RunFolder& folder, const RunWork& whole)
{
    if (request.replicas == 0)
        return whole;
    TRAINYARD_TRY(const RunSpec launched, loadSpec(folder.spec()));
    TRAINYARD_TRY(const RunSpec spec, specOfAttempt(launched, request.layout, request.replicas));
    RunWork work = whole;
    work.ranks = spec.layout.worldSize();
    return work;
}

} // namespace trainyard::agent
