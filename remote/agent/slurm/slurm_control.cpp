#include "remote/agent/slurm/slurm_control.h"

#include <algorithm>
#include <array>
#include <unistd.h>

#include <fmt/format.h>

#include "engine/base/process.h"
#include "remote/agent/host/machine.h"

namespace trainyard::agent {

namespace {

constexpr std::chrono::seconds kPatience{60}; ///< Slurm's commands try again for a while by themselves

/// Of our environment: what programs need, and what a user presets for Slurm's commands. The job gets the
/// same.
const std::vector<std::string_view> kInherited{"PATH",
                                               "HOME",
                                               "USER",
                                               "LOGNAME",
                                               "SHELL",
                                               "LANG",
                                               "LC_ALL",
                                               "TZ",
                                               "TMPDIR",
                                               "LD_LIBRARY_PATH",
                                               "SLURM_CONF",
                                               "SLURM_CLUSTERS",
                                               "SBATCH_ACCOUNT",
                                               "SBATCH_PARTITION",
                                               "SBATCH_QOS",
                                               "SBATCH_RESERVATION",
                                               "SBATCH_MEM_PER_NODE"};

struct Remedy {
    std::string_view words; ///< in what sbatch says
    std::string_view hint;
};
constexpr std::array<Remedy, 8> kRemedies{{
    {"partition", "launch.slurm.partition: `sinfo` lists the partitions"},
    {"account", "launch.slurm.account: `sacctmgr show associations user=$USER` lists yours"},
    {"qos", "launch.slurm.qos: `sacctmgr show qos` lists them"},
    {"QOS", "launch.slurm.qos: `sacctmgr show qos` lists them"},
    {"feature", "launch.slurm.constraint: `sinfo --format=%f` lists the features of the nodes"},
    {"generic resource", "the job requests one GPU per slot, and no node has that many"},
    {"time limit", "launch.slurm.time_limit: `sinfo` shows the partitions' limits"},
    {"node configuration", "use fewer slots per node or threads per rank, or another launch.slurm.partition"},
}};

std::string remedyFor(const std::string& words)
{
    for (const Remedy& remedy : kRemedies) {
        if (words.find(remedy.words) != std::string::npos)
            return std::string(remedy.hint);
    }
    return {};
}

bool isSilence(const std::string& words)
{
    return words.find("ontact") != std::string::npos || words.find("timed out") != std::string::npos ||
           words.find("Communication connection failure") != std::string::npos;
}

Error complaint(const std::string& output)
{
    const std::string words = errorOf(output);
    if (isSilence(words))
        return unreachable("Slurm's controller does not answer on " + hostName() + ": " + words,
                           "`scontrol ping` shows whether it is up");
    return refused("Slurm on " + hostName() + " says: " + words, remedyFor(words));
}

Result<CommandOutput> runSlurm(const std::vector<std::string>& arguments)
{
    if (programInPath(arguments[0]).empty())
        return refused(
            "there is no " + arguments[0] + " on " + hostName(),
            "use a login host of a Slurm cluster, or load its module in the shell's start-up file");
    return runCommand(arguments, kPatience, keptEnvironment(kInherited));
}

/// The output of a command that must succeed.
Result<std::string> outputOf(const std::vector<std::string>& arguments)
{
    TRAINYARD_TRY(CommandOutput output, runSlurm(arguments));
    if (output.status != 0)
        return complaint(output.text);
    return std::move(output.text);
}

Status succeed(const std::vector<std::string>& arguments)
{
    const auto output = outputOf(arguments);
    return output.ok() ? Status() : Status(output.error());
}

std::vector<std::string> linesOf(const std::string& text)
{
    std::vector<std::string> lines;
    for (std::size_t at = 0; at < text.size();) {
        const auto end = std::min(text.find('\n', at), text.size());
        if (end > at)
            lines.push_back(text.substr(at, end - at));
        at = end + 1;
    }
    return lines;
}

} // namespace

Result<std::optional<JobFacts>> askJob(const std::string& id)
{
    TRAINYARD_TRY(const CommandOutput output, runSlurm({"scontrol", "show", "job", "--oneliner", id}));
    if (output.status == 0) {
        auto facts = parseJob(output.text);
        if (!facts)
            return failed("cannot parse scontrol's output about the job " + id + ": " +
                          output.text.substr(0, 200));
        return facts;
    }
    if (output.text.find("Invalid job id") != std::string::npos)
        return std::optional<JobFacts>();
    return complaint(output.text);
}

Result<std::string> findJob(const std::string& name)
{
    TRAINYARD_TRY(const std::string output,
                  outputOf({"squeue", "--noheader", "--user=" + std::to_string(::geteuid()), "--name=" + name,
                            "--format=%i"}));
    return parseSubmission(output);
}

Result<std::vector<Partition>> askPartitions()
{
    TRAINYARD_TRY(const std::string output, outputOf({"scontrol", "show", "partition", "--oneliner"}));
    std::vector<Partition> partitions = parsePartitions(output);
    TRAINYARD_TRY(const std::string nodes, outputOf({"sinfo", "--noheader", "--Node", "--format=%R %G"}));
    addGpus(nodes, partitions);
    return partitions;
}

Result<std::string> submitJob(const std::vector<std::string>& sbatch)
{
    TRAINYARD_TRY(const std::string output, outputOf(sbatch));
    const std::string id = parseSubmission(output);
    if (id.empty())
        return failed("sbatch did not print the job id: " + errorOf(output));
    return id;
}

Status testJob(std::vector<std::string> sbatch)
{
    sbatch.insert(sbatch.begin() + 1, "--test-only");
    const auto output = outputOf(sbatch);
    // Said also while nodes are only down for now: such a job may well wait for them.
    if (output.ok() ||
        output.error().message.find("node configuration is not available") != std::string::npos)
        return {};
    return output.error();
}

Status cancelJob(const std::string& id)
{
    return succeed({"scancel", id});
}

Status warnJob(const std::string& id)
{
    return succeed({"scancel", "--batch", "--signal=TERM", id});
}

Status requeueJob(const std::string& id)
{
    return succeed({"scontrol", "requeue", id});
}

Result<std::vector<std::string>> silentNodes(const std::string& list)
{
    TRAINYARD_TRY(const std::string output,
                  outputOf({"sinfo", "--noheader", "--Node", "--nodes=" + list, "--format=%N %T"}));
    std::vector<std::string> silent;
    for (const std::string& line : linesOf(output)) { // one for each partition of the node; "node3 down*"
        const std::string node = line.substr(0, line.find(' '));
        if (line.ends_with('*') && std::ranges::find(silent, node) == silent.end())
            silent.push_back(node);
    }
    return silent;
}

Result<std::vector<std::string>> expandHosts(const std::string& list)
{
    TRAINYARD_TRY(const std::string output, outputOf({"scontrol", "show", "hostnames", list}));
    return linesOf(output);
}

} // namespace trainyard::agent
