#include "remote/agent/supervise/supervisor.h"

#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/format.h>

#include "remote/agent/host/machine.h"
#include "remote/agent/runs/sweep.h"
#include "remote/agent/supervise/stall.h"
#include "remote/agent/supervise/verdict.h"

namespace trainyard::agent {

namespace {

using SteadyClock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kTick{100};
constexpr std::chrono::seconds kBeat{2};
constexpr std::chrono::milliseconds kLeftoverGrace{500};

/// What of our own environment goes on to the job.
const std::vector<std::string_view> kInherited{
    "PATH",   "HOME", "USER",   "LOGNAME",       "SHELL",           "LANG",
    "LC_ALL", "TZ",   "TMPDIR", "SSH_AUTH_SOCK", "LD_LIBRARY_PATH", "CUDA_VISIBLE_DEVICES"};

Status checkProgram(const RunFolder& folder, const RunWork& work, const LaunchRequest& request)
{
    const auto program = programFolder(folder, request) /
                         (work.kind == WorkKind::Train ? "trainyard-worker" : "trainyard-prepare");
    if (::access(program.c_str(), X_OK) != 0)
        return refused("there is no program " + program.string(),
                       request.bundle.empty() ? "name the folder of the installed programs"
                                              : "deploy the bundle again");
    return {};
}

Status checkLauncher(const JobCommand& command)
{
    if (command.throughMpi && findProgram("mpirun").empty())
        return refused("mpirun is not in PATH on " + hostName(),
                       "install OpenMPI 4, or load its module in the shell's start-up file");
    return {};
}

Result<LaunchRequest> loadRequest(const RunFolder& folder, std::uint32_t attempt)
{
    TRAINYARD_TRY(const std::string text, readFile(folder.launchFile(attempt)));
    return parseLaunchRequest(text);
}

SupervisorIdentity identity(std::uint32_t attempt)
{
    const auto self = processId(::getpid());
    return {::getpid(), self ? self->startTime : 0, attempt, hostName(), bootId()};
}

FileDescriptor catchSignals()
{
    sigset_t set;
    sigemptyset(&set);
    for (const int signal : {SIGCHLD, SIGTERM, SIGINT, SIGHUP})
        sigaddset(&set, signal);
    sigprocmask(SIG_BLOCK, &set, nullptr);
    return FileDescriptor(::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
}

void removeOldRequests(const RunFolder& folder)
{
    std::error_code ignored;
    for (const auto& request : {folder.stopRequest(), folder.abortRequest(), folder.checkpointRequest()})
        std::filesystem::remove(request, ignored);
}

std::filesystem::path watchedStream(const RunFolder& folder, const RunWork& work)
{
    return folder.journal() / (work.kind == WorkKind::Train ? "steps" : "prepare");
}

} // namespace

Result<std::unique_ptr<Supervisor>> Supervisor::start(const RunFolder& folder, std::uint32_t attempt)
{
    TRAINYARD_TRY(RunWork work, loadWork(folder));
    TRAINYARD_TRY(LaunchRequest request, loadRequest(folder, attempt));
    TRAINYARD_TRY_STATUS(checkProgram(folder, work, request));
    const HeadNode head{hostName(), usableCores(), ::geteuid() == 0};
    TRAINYARD_TRY(JobCommand command, jobCommand(folder, work, request, head, keptEnvironment(kInherited)));
    TRAINYARD_TRY_STATUS(checkLauncher(command));
    TRAINYARD_TRY(auto lock, LockFile::tryAcquire(folder.supervisorLock()));
    if (!lock)
        return refused("the run " + folder.run() + " has a supervisor already", "stop it first");
    removeOldRequests(folder); // of an earlier attempt; from here on they are meant for this one
    TRAINYARD_TRY(RunLog log, RunLog::open(folder, attempt, work.steps));
    TRAINYARD_TRY_STATUS(writeSupervisor(folder, identity(attempt)));
    if (!command.hostfile.empty())
        TRAINYARD_TRY_STATUS(writeFileAtomically(hostfilePath(folder, attempt), command.hostfile));
    return std::unique_ptr<Supervisor>(new Supervisor(folder, std::move(work), std::move(request),
                                                      std::move(command), std::move(*lock), std::move(log)));
}

Supervisor::Supervisor(RunFolder folder, RunWork work, LaunchRequest request, JobCommand command,
                       LockFile lock, RunLog log)
    : m_folder(std::move(folder))
    , m_work(std::move(work))
    , m_request(std::move(request))
    , m_command(std::move(command))
    , m_lock(std::move(lock))
    , m_log(std::move(log))
    , m_stream(watchedStream(m_folder, m_work), m_request.attempt)
    , m_stop(m_folder, m_work.gracePeriod)
    , m_rankLogSizes(rankLogSizes(m_folder, m_work.ranks))
    , m_signals(catchSignals())
    , m_outOfMemoryKills(outOfMemoryKills())
{
}

Status Supervisor::launch()
{
    // Orphans of the job become our children: nothing can slip away from the sweep by forking twice.
    ::prctl(PR_SET_CHILD_SUBREAPER, 1);
    m_log.enter(RunState::Starting);
    m_log.event({Severity::Info,
                 "attempt-started",
                 fmt::format("attempt {} with {} rank{} on {}", m_request.attempt, m_work.ranks,
                             m_work.ranks == 1 ? "" : "s", m_request.nodes[0].host),
                 {},
                 m_log.status().step});
    const FileDescriptor log(
        ::open(m_folder.jobLog(m_request.attempt).c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644));
    ProcessSpec job{m_command.arguments, m_command.environment, m_folder.path(), log.get(), true};
    const auto started = startProcess(job);
    if (!started.ok()) {
        m_log.enter(RunState::Failed, started.error().message);
        return started.error();
    }
    m_job = *started;
    m_lastProgress = m_nextBeat = SteadyClock::now();
    if (m_work.kind == WorkKind::Prepare)
        m_log.enter(RunState::Running);
    return {};
}

int Supervisor::watch()
{
    while (!m_jobStatus) {
        waitForSignal(kTick);
        watchJob();
        obey();
        beat();
        reap();
    }
    return conclude();
}

void Supervisor::waitForSignal(std::chrono::milliseconds patience)
{
    pollfd wait{m_signals.get(), POLLIN, 0};
    ::poll(&wait, 1, static_cast<int>(patience.count()));
    signalfd_siginfo info;
    while (::read(m_signals.get(), &info, sizeof info) == static_cast<ssize_t>(sizeof info)) {
        if (info.ssi_signo == SIGTERM || info.ssi_signo == SIGINT)
            m_stop.abort();
    }
}

void Supervisor::reap()
{
    int status = 0;
    for (pid_t pid = 0; (pid = ::waitpid(-1, &status, WNOHANG)) > 0;) {
        if (pid == m_job)
            m_jobStatus = status;
    }
}

void Supervisor::watchJob()
{
    const std::int64_t before = m_stream.lastStep();
    m_stream.look();
    if (m_stream.lastStep() != before) {
        m_log.setStep(m_stream.lastStep());
        m_lastProgress = SteadyClock::now();
    }
    if (m_stream.hasStarted() && m_log.status().state == RunState::Starting)
        m_log.enter(RunState::Running);
}

/// Says what a run hangs at, once per cause.
void Supervisor::noticeStall()
{
    if (m_work.kind != WorkKind::Train)
        return;
    const std::string stall =
        stallText(m_folder, m_work, m_request.attempt, SteadyClock::now() - m_lastProgress,
                  std::chrono::duration<double>(m_stream.lastStepSeconds()));
    if (stall.empty() || stall == m_reportedStall)
        return;
    m_reportedStall = stall;
    m_log.event({Severity::Warning, "rank-stalled", stall, {}, m_log.status().step});
}

void Supervisor::obey()
{
    switch (m_stop.next(SteadyClock::now())) {
    case StopSequence::Action::None:
        return;
    case StopSequence::Action::Announce:
        m_log.enter(RunState::Stopping);
        return;
    case StopSequence::Action::Terminate:
        if (m_log.status().state != RunState::Stopping)
            m_log.enter(RunState::Stopping);
        ::kill(-m_job, SIGTERM);
        return;
    case StopSequence::Action::Kill:
        m_log.setKilled(m_log.status().killed + sweep());
        return;
    }
}

void Supervisor::beat()
{
    const auto now = SteadyClock::now();
    if (now < m_nextBeat)
        return;
    m_nextBeat = now + kBeat;
    m_log.heartbeat();
    noticeStall();
}

int Supervisor::sweep()
{
    const SweepResult result = sweepRun(m_folder.marker(), ::getpid(),
                                        m_stop.terminated() ? std::chrono::milliseconds(0) : kLeftoverGrace);
    if (result.left > 0)
        m_log.event({Severity::Error,
                     "processes-left",
                     fmt::format("{} processes cannot be killed", result.left),
                     {},
                     0});
    return result.killed;
}

int Supervisor::conclude()
{
    m_stream.look();
    m_log.setStep(m_stream.lastStep());
    const JobEnd end{*m_jobStatus,
                     m_command.throughMpi,
                     m_stop.asked(),
                     m_stop.terminated(),
                     m_log.status().step,
                     m_stream.lastError(),
                     outOfMemoryKills() > m_outOfMemoryKills};
    // Judged before the sweep: the rings and logs are as the failure left them.
    const Verdict verdict = judge(m_folder, m_work, m_request, end, m_rankLogSizes);
    m_log.setKilled(m_log.status().killed + sweep());
    reap();
    for (const EventRecord& event : verdict.events)
        m_log.event(event);
    removeOldRequests(m_folder);
    m_log.enter(verdict.state, verdict.reason);
    return verdict.state == RunState::Finished ? 0 : verdict.state == RunState::Stopped ? 130 : 5;
}

} // namespace trainyard::agent
