#include "remote/agent/supervise/attempt_spec.h"

#include <fmt/format.h>

#include "engine/spec/elastic.h"
#include "engine/spec/field_changes.h"
#include "engine/spec/spec_json.h"

namespace trainyard::agent {

Result<RunSpec> specOf(const LaunchRequest& request, const RunFolder& folder)
{
    TRAINYARD_TRY(const RunSpec spec, loadSpec(folder.spec()));
    return specOfAttempt(spec, request.layout);
}

Result<RunWork> wholeWorkOf(const LaunchRequest& request, const RunFolder& folder)
{
    TRAINYARD_TRY(RunWork work, loadWork(folder));
    if (request.layout.empty())
        return work;
    TRAINYARD_TRY(const RunSpec spec, specOf(request, folder));
    work.ranks = spec.layout.worldSize();
    return work;
}

std::string layoutChanges(const LaunchRequest& request, const RunFolder& folder)
{
    const auto before = loadSpec(folder.spec());
    const auto after = specOf(request, folder);
    return before.ok() && after.ok() ? textOf(changesBetween(*before, *after)) : std::string();
}

Status takeNodesOfLayout(LaunchRequest& request, const RunFolder& folder)
{
    if (request.layout.empty())
        return {};
    TRAINYARD_TRY(const RunSpec spec, specOf(request, folder));
    if (spec.cluster.nodes.size() != request.nodes.size())
        return badInput(fmt::format("the layout is for {} nodes, but the request names {}",
                                    spec.cluster.nodes.size(), request.nodes.size()));
    for (std::size_t node = 0; node < request.nodes.size(); ++node) {
        request.nodes[node].slotCount = spec.cluster.nodes[node].slotCount;
        request.nodes[node].devices = spec.cluster.nodes[node].devices;
    }
    return {};
}

} // namespace trainyard::agent
