#include "remote/agent/slurm/batch_job.h"

#include <cstdlib>

#include "remote/agent/slurm/slurm_control.h"

namespace trainyard::agent {

namespace {

constexpr std::chrono::seconds kNodesPatience{60};

std::string variable(const char* name)
{
    const char* value = std::getenv(name);
    return value ? value : "";
}

} // namespace

Result<BatchJob> ownBatchJob()
{
    BatchJob job{variable("SLURM_JOB_ID"), std::atoi(variable("SLURM_RESTART_COUNT").c_str()), {}};
    if (job.id.empty())
        return badInput("this is not a Slurm job", "--in-job is for use by sbatch");
    TRAINYARD_TRY(job.nodes, expandHosts(variable("SLURM_JOB_NODELIST")));
    if (job.nodes.empty())
        return failed("Slurm did not report the nodes of job " + job.id);
    return job;
}

Result<CommandOutput> runOnNodes(const BatchJob& job, const std::vector<std::string>& program)
{
    const auto nodes = std::to_string(job.nodes.size());
    std::vector<std::string> arguments{
        "srun", "--overlap", "--mpi=none", "--nodes=" + nodes, "--ntasks=" + nodes, "--ntasks-per-node=1"};
    arguments.insert(arguments.end(), program.begin(), program.end());
    return runCommand(arguments, kNodesPatience);
}

} // namespace trainyard::agent
