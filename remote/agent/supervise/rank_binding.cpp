#include "remote/agent/supervise/rank_binding.h"

#include <fmt/format.h>

#include "remote/agent/supervise/job_command.h"

namespace trainyard::agent {

bool ownsItsHosts(const RunWork& work, const LaunchRequest& request, int coresOfHead)
{
    const std::vector<int> counts = ranksOnNodes(request, work.ranks);
    for (std::size_t node = 0; node < counts.size(); ++node) {
        const bool likeHead = node == 0 || request.allocation;
        const int cores = likeHead ? coresOfHead : request.nodes[node].cores;
        if (counts[node] * work.threadsPerRank != cores)
            return false;
    }
    return true;
}

// mpirun itself counts pairs of threads, and would refuse a rank for each of the two.
std::vector<std::string> bindingArguments(bool ownsHosts, int threadsPerRank)
{
    if (!ownsHosts)
        return {"--bind-to", "none"};
    return {"--use-hwthread-cpus", "--map-by", fmt::format("slot:PE={}", threadsPerRank), "--bind-to",
            "hwthread"};
}

} // namespace trainyard::agent
