#include "remote/agent/slurm/batch_request.h"

#include <fmt/format.h>

namespace trainyard::agent {

namespace {

using Arguments = std::vector<std::string>;

constexpr std::string_view kScript = R"sh(#!/bin/sh
# Starts the supervisor of a run inside its batch job. $1 = the agent, then the agent's arguments.
[ -x "$1" ] || {
    echo "error: there is no program $1 on $(hostname)"
    exit 4
}
exec "$@"
)sh";

/// Slurm replaces %j and the like in the names of a job's files.
std::string withoutPatterns(const std::filesystem::path& path)
{
    std::string text;
    for (const char c : path.string())
        text += c == '%' ? std::string("%%") : std::string(1, c);
    return text;
}

void addIf(Arguments& arguments, const char* option, const std::string& value)
{
    if (!value.empty())
        arguments.push_back(option + value);
}

template <typename Unit>
auto countOf(std::chrono::milliseconds duration)
{
    return std::chrono::duration_cast<Unit>(duration).count();
}

} // namespace

std::string jobName(const RunFolder& folder, std::uint32_t attempt)
{
    return fmt::format("trainyard-{}.{}", folder.run(), attempt);
}

std::string_view batchScript()
{
    return kScript;
}

Arguments sbatchCommand(const RunFolder& folder, std::uint32_t attempt, const RunSpec& spec,
                        const std::filesystem::path& script, const std::filesystem::path& agent, bool gpus)
{
    const SlurmSpec& slurm = spec.launch.slurm;
    const int slots = spec.cluster.nodes.front().slotCount;
    Arguments arguments{"sbatch",
                        "--parsable",
                        "--job-name=" + jobName(folder, attempt),
                        fmt::format("--nodes={}", spec.cluster.nodes.size()),
                        fmt::format("--ntasks-per-node={}", slots),
                        fmt::format("--cpus-per-task={}", spec.launch.threadsPerRank),
                        "--chdir=" + folder.path().string(),
                        "--output=" + withoutPatterns(folder.batchLog(attempt)),
                        "--open-mode=append",
                        "--export=ALL", // of the few variables that sbatch itself is given
                        slurm.requeue ? "--requeue" : "--no-requeue"};
    if (slurm.warning.count() > 0)
        arguments.push_back(fmt::format("--signal=B:TERM@{}", countOf<std::chrono::seconds>(slurm.warning)));
    if (slurm.timeLimit.count() > 0)
        arguments.push_back(fmt::format("--time={}", countOf<std::chrono::minutes>(slurm.timeLimit)));
    if (gpus)
        arguments.push_back(fmt::format("--gres=gpu:{}", slots));
    addIf(arguments, "--partition=", slurm.partition);
    addIf(arguments, "--account=", slurm.account);
    addIf(arguments, "--qos=", slurm.qos);
    addIf(arguments, "--constraint=", slurm.constraint);
    arguments.insert(arguments.end(), {script, agent, "supervise", "--in-job", "--run-dir", folder.path(),
                                       "--attempt", std::to_string(attempt)});
    return arguments;
}

} // namespace trainyard::agent
