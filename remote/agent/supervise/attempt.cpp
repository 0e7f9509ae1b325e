#include "remote/agent/supervise/attempt.h"

#include <algorithm>
#include <csignal>
#include <fcntl.h>
#include <unistd.h>

#include "engine/base/file.h"
#include "remote/agent/host/free_port.h"
#include "remote/agent/host/machine.h"
#include "remote/agent/host/ssh_command.h"
#include "remote/agent/runs/mpi_sessions.h"
#include "remote/agent/supervise/allocation_launcher.h"
#include "remote/agent/supervise/elastic_world.h"
#include "remote/agent/supervise/stop_sequence.h"
#include "remote/agent/usage/device_claim.h"

namespace trainyard::agent {

namespace {

using SteadyClock = std::chrono::steady_clock;

/// The variables of our own environment that the job inherits.
const std::vector<std::string_view> kInherited{
    "PATH",   "HOME", "USER",   "LOGNAME",       "SHELL",           "LANG",
    "LC_ALL", "TZ",   "TMPDIR", "SSH_AUTH_SOCK", "LD_LIBRARY_PATH", "CUDA_VISIBLE_DEVICES"};

/// A step may be slow; one that takes this many times as long as the last one hangs.
constexpr double kStepsUntilGivenUp = 50;
/// Multiple of the stall limit before the first step, when the model is loaded.
constexpr int kPatienceBeforeFirstStep = 3;
/// Multiple of the stall limit during a checkpoint, whose disk may be shared and slow.
constexpr int kPatienceInCheckpoint = 6;

Status checkProgram(const RunFolder& folder, const RunWork& work, const LaunchRequest& request)
{
    const auto program = programFolder(folder, request) / work.program();
    if (::access(program.c_str(), X_OK) != 0)
        return refused("there is no program " + program.string(),
                       request.bundle.empty() ? "name the folder of the installed programs"
                                              : "deploy the bundle again");
    return {};
}

Status checkLauncher(const JobCommand& command)
{
    if (command.throughMpi && programInPath(command.arguments[0]).empty())
        return refused(command.arguments[0] + " is not in PATH on " + hostName(),
                       "install OpenMPI 4, or load its module in the shell's start-up file");
    return {};
}

/// In a batch job the launchers also need Slurm's variables.
Environment inheritedFor(const LaunchRequest& request)
{
    Environment environment = keptEnvironment(kInherited);
    if (request.allocation) {
        const Environment slurm = slurmVariables();
        environment.insert(environment.end(), slurm.begin(), slurm.end());
    }
    return environment;
}

std::filesystem::path watchedStream(const RunFolder& folder, const RunWork& work)
{
    return folder.journal() / streamOf(work.kind);
}

} // namespace

Result<std::unique_ptr<Attempt>> Attempt::prepare(const RunFolder& folder, const RunWork& whole,
                                                  LaunchRequest request)
{
    TRAINYARD_TRY(const RunWork work, workOf(request, folder, whole));
    LaunchRequest present = request;
    present.nodes = presentNodes(request);
    TRAINYARD_TRY_STATUS(checkProgram(folder, work, request));
    const std::filesystem::path session = MpiSessions(folder.run()).choose(request.attempt);
    const HeadNode head{hostName(),
                        usableCores(),
                        ::geteuid() == 0,
                        ownProgram(),
                        session,
                        usesOwnRuntime(folder, work, present),
                        mayUseDevices(folder, work, request),
                        choosePort(folder, request, isFreePort)};
    TRAINYARD_TRY(JobCommand command, jobCommand(folder, work, present, head, inheritedFor(request)));
    TRAINYARD_TRY_STATUS(checkLauncher(command));
    return std::unique_ptr<Attempt>(
        new Attempt(folder, work, std::move(request), std::move(present), std::move(command)));
}

Attempt::Attempt(RunFolder folder, RunWork work, LaunchRequest request, LaunchRequest present,
                 JobCommand command)
    : m_folder(std::move(folder))
    , m_work(std::move(work))
    , m_request(std::move(request))
    , m_present(std::move(present))
    , m_command(std::move(command))
    , m_stream(watchedStream(m_folder, m_work), m_request.attempt)
{
}

Status Attempt::keepKnownHosts() const
{
    return m_command.knownHosts.empty()
               ? Status()
               : writeKnownHosts(knownHostsPath(m_folder, number()), m_command.knownHosts);
}

/// On this node.
Result<DeviceClaim> Attempt::claimDevices() const
{
    if (!mayUseDevices(m_folder, m_work, m_request))
        return DeviceClaim();
    const std::vector<int> ranks = ranksOnNodes(m_present, m_work.ranks);
    return DeviceClaim::take(m_folder.agentRoot(), m_folder.run(),
                             {ranks.front(), m_present.nodes.front().devices});
}

Status Attempt::start()
{
    if (!m_command.hostfile.empty())
        TRAINYARD_TRY_STATUS(writeFileAtomically(hostfilePath(m_folder, number()), m_command.hostfile));
    TRAINYARD_TRY_STATUS(keepKnownHosts());
    if (m_command.throughMpi)
        TRAINYARD_TRY_STATUS(MpiSessions::make(m_command.session));
    // Noted before the job starts: only later lines and kills are its own.
    m_rankLogSizes = rankLogSizes(m_folder, m_work.ranks);
    m_outOfMemoryKills = outOfMemoryKills();
    const FileDescriptor log(
        ::open(m_folder.jobLog(number()).c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644));
    ProcessSpec job{m_command.arguments, m_command.environment, m_folder.path(), log.get(), true};
    // Held until the job has started: from then on its environment tells other runs which devices are taken.
    TRAINYARD_TRY(const DeviceClaim claim, claimDevices());
    const Environment further = claim.environment();
    if (!further.empty())
        std::erase_if(job.environment,
                      [](const std::string& entry) { return entry.starts_with("CUDA_VISIBLE_DEVICES="); });
    job.environment.insert(job.environment.end(), further.begin(), further.end());
    TRAINYARD_TRY(m_job, startProcess(job));
    // On other nodes the guards choose, at a time that we do not know.
    m_showsItsDevices = !further.empty() && ranksOnNodes(m_present, m_work.ranks).size() == 1;
    m_lastProgress = SteadyClock::now();
    return {};
}

void Attempt::look()
{
    const std::int64_t before = m_stream.stepsFinished();
    m_stream.look();
    if (m_stream.stepsFinished() != before)
        m_lastProgress = SteadyClock::now();
}

void Attempt::takePulse()
{
    const auto pulse = firstRanksPulse(m_folder, number());
    if (!pulse || pulse == m_pulse)
        return;
    m_pulse = pulse;
    m_lastProgress = SteadyClock::now();
}

std::chrono::duration<double> Attempt::quiet() const
{
    return SteadyClock::now() - m_lastProgress;
}

std::string Attempt::stall() const
{
    if (m_work.kind != WorkKind::Train)
        return {};
    return stallText(m_folder, m_work, number(), quiet(),
                     std::chrono::duration<double>(m_stream.lastStepSeconds()));
}

bool Attempt::isStalledForGood() const
{
    return m_work.kind == WorkKind::Train && m_request.stallLimit.count() > 0 && quiet() > patience();
}

std::chrono::duration<double> Attempt::patience() const
{
    const std::chrono::duration<double> limit = m_request.stallLimit;
    if (m_pulse && m_pulse->activity == Activity::Checkpoint)
        return kPatienceInCheckpoint * limit;
    if (!finishedAStep())
        return kPatienceBeforeFirstStep * limit;
    return std::max(limit, std::chrono::duration<double>(kStepsUntilGivenUp * m_stream.lastStepSeconds()));
}

void Attempt::childEnded(pid_t child, int waitStatus)
{
    if (child == m_job)
        m_waitStatus = waitStatus;
}

void Attempt::terminate() const
{
    if (m_job > 0 && !isOver())
        ::kill(-m_job, SIGTERM);
}

Verdict Attempt::judge(const StopSequence& stop, const std::string& fenced,
                       const std::string& stopCause) const
{
    const JobEnd end{*m_waitStatus,
                     m_command.throughMpi,
                     stop.asked(),
                     stop.terminated(),
                     step(),
                     m_stream.lastError(),
                     outOfMemoryKills() > m_outOfMemoryKills,
                     fenced,
                     stopCause,
                     finishedAStep(),
                     number() > 1,
                     m_givenUp,
                     step() < m_work.steps ? m_stream.whyFinished() : std::string()};
    return agent::judge(m_folder, m_work, m_present, end, m_rankLogSizes);
}

} // namespace trainyard::agent
