#include "engine/spec/elastic.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/spec/layout_change.h"
#include "engine/spec/phases/phases.h"
#include "engine/spec/validate.h"

namespace trainyard {

namespace {

/// Micro-batches per step that keep the global batch.
Result<int> accumulationWith(const BatchSpec& batch, int replicas)
{
    if (replicas < 1 || batch.global % (batch.micro * replicas) != 0)
        return refused(
            fmt::format(
                "a global batch of {} cannot be kept by {} data-parallel ranks with micro-batches of {}",
                batch.global, replicas, batch.micro),
            "choose a global batch that more numbers of ranks divide");
    return batch.global / (batch.micro * replicas);
}

std::vector<std::string> hostsOf(const ClusterSpec& cluster)
{
    std::vector<std::string> hosts;
    for (const NodeSpec& node : cluster.nodes)
        hosts.push_back(node.host);
    return hosts;
}

Status mayLeave(const std::string& host, const ClusterSpec& cluster)
{
    const std::vector<std::string> hosts = hostsOf(cluster);
    if (std::ranges::find(hosts, host) == hosts.end())
        return badInput(fmt::format("the run has no host {}", host),
                        fmt::format("its hosts are {}", fmt::join(hosts, ", ")));
    if (host == hosts.front())
        return refused(fmt::format("{} has the run's records, so the run cannot continue without it", host),
                       "launch a new run whose init.path is a checkpoint on another host");
    return {};
}

} // namespace

Result<RunSpec> withReplicas(const RunSpec& spec, int replicas)
{
    RunSpec changed = spec;
    changed.layout = spec.layout.withData(replicas);
    for (int phase = 0; phase < phaseCount(spec); ++phase) {
        TRAINYARD_TRY(const int accumulation, accumulationWith(specOfPhase(spec, phase).batch, replicas));
        if (spec.phases.empty()) {
            changed.batch.accumulation = accumulation;
            continue;
        }
        PhaseSpec& over = changed.phases[static_cast<std::size_t>(phase)];
        over.batch.accumulation = accumulation;
        over.named.insert("batch.accumulation");
    }
    if (const Diagnostics wrong = validate(changed); !wrong.empty())
        return toError(wrong).in(fmt::format("with {} data-parallel ranks", replicas));
    return changed;
}

Result<RunSpec> fittedTo(const RunSpec& spec, int ranks)
{
    const int ranksPerReplica = spec.layout.worldSize() / spec.layout.data;
    const int most = std::min(spec.layout.data, ranks / ranksPerReplica);
    // Rather fewer replicas than more experts on each rank, for which it may have no memory.
    for (int expert = spec.layout.expert; expert > 0; --expert) {
        for (int replicas = most; replicas > 0; --replicas) {
            if (spec.layout.withData(replicas).expert != expert)
                continue;
            if (auto fitted = withReplicas(spec, replicas); fitted.ok())
                return fitted;
        }
    }
    return refused(
        fmt::format("{} ranks are too few: one copy of the model needs {}, and the global batch of {} must "
                    "divide by micro-batches of {}",
                    ranks, ranksPerReplica, spec.batch.global, spec.batch.micro));
}

Result<RunSpec> withoutHosts(const RunSpec& spec, const std::vector<std::string>& hosts)
{
    RunSpec changed = spec;
    for (const std::string& host : hosts) {
        TRAINYARD_TRY_STATUS(mayLeave(host, spec.cluster));
        std::erase_if(changed.cluster.nodes, [&](const NodeSpec& node) { return node.host == host; });
    }
    int ranks = 0;
    for (const NodeSpec& node : changed.cluster.nodes)
        ranks += node.slotCount;
    return fittedTo(changed, ranks);
}

Result<RunSpec> specOfAttempt(const RunSpec& launched, std::string_view layout, int replicas)
{
    const auto spread = layout.empty() ? Result<RunSpec>(launched) : withLayout(launched, layout);
    return spread.ok() && replicas > 0 ? withReplicas(*spread, replicas) : spread;
}

} // namespace trainyard
