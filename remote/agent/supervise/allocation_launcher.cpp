#include "remote/agent/supervise/allocation_launcher.h"

#include <string_view>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>

#include "remote/agent/supervise/rank_binding.h"

namespace trainyard::agent {

namespace {

using Arguments = std::vector<std::string>;
using Variables = std::map<std::string, std::string>;

/// mpirun finds nodes and slots in Slurm's variables and starts its daemons through srun.
Arguments throughMpirun(const RankPlacement& placement, bool superuser, const Variables& variables)
{
    Arguments arguments{"mpirun"};
    if (superuser)
        arguments.push_back("--allow-run-as-root");
    arguments.insert(arguments.end(), {"-np", std::to_string(placement.ranks)});
    const Arguments binding = bindingArguments(placement.ownsHosts, placement.threadsPerRank);
    arguments.insert(arguments.end(), binding.begin(), binding.end());
    // As without Slurm: no copying through the kernel, and a dead link is noticed in 9 s. When Slurm ends the
    // job it sends SIGTERM to mpirun too, which would kill the ranks after 1 s, before they have written a
    // checkpoint.
    for (const auto& [name, value] : {std::pair{"btl_vader_single_copy_mechanism", "none"},
                                      {"oob_tcp_keepalive_time", "4"},
                                      {"oob_tcp_keepalive_intvl", "2"},
                                      {"oob_tcp_keepalive_probes", "3"},
                                      {"odls_base_sigkill_timeout", "5"}})
        arguments.insert(arguments.end(), {"--mca", name, value});
    arguments.insert(arguments.end(), {"-x", "TRAINYARD_RUN"});
    for (const auto& [name, value] : variables)
        arguments.insert(arguments.end(), {"-x", name + "=" + value});
    return arguments;
}

/// `env` after srun sets the variables, so that srun itself runs with the system's libraries.
Arguments throughSrun(const LaunchRequest& request, const RankPlacement& placement, const std::string& marker,
                      const Variables& variables)
{
    Arguments arguments{"srun",
                        "--mpi=" + request.allocation->starter,
                        fmt::format("--nodes={}", request.nodes.size()),
                        fmt::format("--ntasks={}", placement.ranks),
                        fmt::format("--cpus-per-task={}", placement.threadsPerRank),
                        "--distribution=block",
                        "--kill-on-bad-exit=1",
                        "--overlap",
                        "env",
                        marker};
    for (const auto& [name, value] : variables)
        arguments.push_back(name + "=" + value);
    return arguments;
}

} // namespace

Arguments allocationLauncher(const LaunchRequest& request, const RankPlacement& placement, bool superuser,
                             const std::string& marker, const Variables& variables)
{
    return request.allocation->starter == "mpirun" ? throughMpirun(placement, superuser, variables)
                                                   : throughSrun(request, placement, marker, variables);
}

Environment slurmVariables()
{
    Environment variables;
    for (char** entry = environ; *entry; ++entry) {
        if (std::string_view(*entry).starts_with("SLURM_"))
            variables.emplace_back(*entry);
    }
    return variables;
}

} // namespace trainyard::agent
