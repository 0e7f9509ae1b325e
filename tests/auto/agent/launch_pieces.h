#pragma once

#include <string>
#include <utility>
#include <vector>

#include "remote/agent/runs/run_work.h"
#include "remote/agent/supervise/launch_request.h"

namespace trainyard::agent {

inline LaunchNode node(const std::string& host, int ranksThere = 1)
{
    return {host, ranksThere, 0, {}};
}

inline LaunchRequest requestFor(std::vector<LaunchNode> nodes)
{
    LaunchRequest request;
    request.bundle = std::string(64, 'b');
    request.nodes = std::move(nodes);
    request.rsh = "ssh -o BatchMode=yes";
    return request;
}

inline RunWork training(int ranks, int threads = 1)
{
    RunWork work;
    work.ranks = ranks;
    work.threadsPerRank = threads;
    return work;
}

} // namespace trainyard::agent
