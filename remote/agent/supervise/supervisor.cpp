#include "remote/agent/supervise/supervisor.h"

#include <csignal>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/base/file.h"
#include "engine/base/units.h"
#include "engine/checkpoint/format/prepare_start.h"
#include "engine/records/fence.h"
#include "remote/agent/host/machine.h"
#include "remote/agent/runs/mpi_sessions.h"
#include "remote/agent/runs/run_requests.h"
#include "remote/agent/runs/run_status.h"
#include "remote/agent/runs/sweep.h"
#include "remote/agent/supervise/attempt_spec.h"
#include "remote/agent/supervise/elastic_world.h"
#include "remote/agent/supervise/revive.h"
#include "remote/agent/supervise/start_point.h"

namespace trainyard::agent {

namespace {

using SteadyClock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kTick{100};
constexpr std::chrono::seconds kBeat{2};
constexpr std::chrono::milliseconds kLeftoverGrace{500};
constexpr std::chrono::seconds kBetweenQuestions{3}; ///< between probes of hosts that the next attempt needs
constexpr std::chrono::seconds kBetweenLooks{5};     ///< at devices that others use
constexpr std::chrono::seconds kBetweenReasons{30};  ///< why the run waits, when the amounts alone change
constexpr std::chrono::seconds kShutdownPatience{2}; ///< a shutdown may signal the ranks before us

Result<LaunchRequest> loadRequest(const RunFolder& folder, std::uint32_t attempt)
{
    TRAINYARD_TRY(const std::string text, readFile(folder.launchFile(attempt)));
    return parseLaunchRequest(text);
}

Status keepRequest(const RunFolder& folder, const LaunchRequest& request)
{
    return writeFileAtomically(folder.launchFile(request.attempt), toJson(request));
}

std::string counted(int number, const char* noun)
{
    return fmt::format("{} {}{}", number, noun, number == 1 ? "" : "s");
}

/// "attempt 3 with 2 ranks on node1, node3, layout.data 1, layout.tensor 2".
std::string worldOf(const Attempt& attempt, const RunFolder& folder)
{
    std::vector<std::string> hosts;
    for (const LaunchNode& node : presentNodes(attempt.request()))
        hosts.push_back(node.host);
    const double rate = attempt.request().learningRate;
    const std::string changes = layoutChanges(attempt.request(), folder);
    const std::string& network = attempt.request().interface;
    return fmt::format(
        "attempt {} with {} on {}{}{}{}", attempt.number(), counted(attempt.work().ranks, "rank"),
        fmt::join(hosts, ", "), hosts.size() > 1 && !network.empty() ? " over " + network : "",
        rate > 0 ? fmt::format(", learning rate {}", rate) : "", changes.empty() ? "" : ", " + changes);
}

/// True for an attempt that reviveRuns() started after a reboot: the other hosts may still be booting.
bool isRevival(const LaunchRequest& request)
{
    return request.restarts.restarts > 0 && !request.allocation;
}

} // namespace

Result<std::unique_ptr<Supervisor>> Supervisor::start(const RunFolder& folder, std::uint32_t attempt)
{
    TRAINYARD_TRY(LaunchRequest request, loadRequest(folder, attempt));
    TRAINYARD_TRY(RunWork work, wholeWorkOf(request, folder));
    if (request.allocation) // Slurm requeues its jobs after a reboot itself
        work.restart.afterReboot = false;
    // Prepared before the lock is taken: a request that cannot work changes nothing in the run's directory.
    TRAINYARD_TRY(auto first, Attempt::prepare(folder, work, std::move(request)));
    TRAINYARD_TRY(SupervisorPlace place, SupervisorPlace::take(folder, attempt));
    removeRequests(folder); // those of an earlier attempt; from now on they are meant for this one
    TRAINYARD_TRY(RunLog log, RunLog::open(folder, attempt, work.steps));
    TRAINYARD_TRY_STATUS(place.sign());
    return std::unique_ptr<Supervisor>(
        new Supervisor(folder, std::move(work), std::move(place), std::move(log), std::move(first)));
}

Supervisor::Supervisor(RunFolder folder, RunWork work, SupervisorPlace place, RunLog log,
                       std::unique_ptr<Attempt> attempt)
    : m_folder(std::move(folder))
    , m_work(std::move(work))
    , m_place(std::move(place))
    , m_log(std::move(log))
    , m_stop(m_folder, m_work.gracePeriod)
    , m_restarts(m_work.restart, attempt->request().restarts)
    , m_attempt(std::move(attempt))
    , m_membership(m_folder, m_work, m_attempt->request(), m_log)
    , m_devices(m_folder)
{
}

Status Supervisor::launch()
{
    // Orphans of the job become our children, so that the sweep also finds daemonized processes.
    ::prctl(PR_SET_CHILD_SUBREAPER, 1);
    m_log.enter(RunState::Starting);
    if (m_work.restart.afterReboot)
        prepareForReboot();
    const bool later = isRevival(m_attempt->request()) || waitsForDevices(m_attempt->request());
    const Status launched = later ? m_attempt->keepKnownHosts() : startAttempt();
    if (!launched.ok())
        m_log.enter(RunState::Failed, launched.error().message);
    return launched;
}

Status Supervisor::startAttempt()
{
    TRAINYARD_TRY_STATUS(chooseCheckpoint());
    const std::string where = m_attempt->number() == 1 ? "" : " " + startingPoint(m_folder);
    m_log.event(
        {Severity::Info, "attempt-started", worldOf(*m_attempt, m_folder) + where, {}, m_log.status().step});
    TRAINYARD_TRY_STATUS(m_attempt->start());
    if (m_attempt->showsItsDevices())
        m_devices.release();
    m_nextBeat = SteadyClock::now();
    m_membership.attemptBegins(m_attempt->request());
    if (m_work.kind == WorkKind::Prepare)
        m_log.enter(RunState::Running);
    return {};
}

/// Chooses the checkpoint before any rank starts. The first rank does so too, but its words come later.
Status Supervisor::chooseCheckpoint()
{
    if (m_work.kind != WorkKind::Train || isSpreadOverHosts(m_folder))
        return {};
    TRAINYARD_TRY(const StartPoint start,
                  prepareStart(m_folder.checkpoints(), Fence(m_folder.path(), m_attempt->number())));
    for (const std::string& change : start.changes)
        m_log.event({Severity::Warning, "checkpoint-set-aside", change, {}, start.step});
    return {};
}

void Supervisor::prepareForReboot()
{
    if (const Status arranged = arrangeRevival(m_folder.agentRoot()); !arranged.ok())
        m_log.event({Severity::Warning,
                     "no-boot-hook",
                     "after a restart of this host the run resumes only when Trainyard connects: " +
                         arranged.error().text(),
                     {},
                     m_log.status().step});
}

int Supervisor::watch()
{
    const LaunchRequest first = m_attempt->request(); // a copy: the start makes another attempt of it
    Verdict before{
        RunState::Failed, isRevival(first) ? hostName() + " was restarted during the run" : "", {}};
    if ((isRevival(first) || waitsForDevices(first)) && !startOnHosts(first, before))
        return leave(before);
    for (;;) {
        followAttempt();
        Verdict verdict = conclude();
        if (verdict.state == RunState::Stopped && !m_stop.asked() && m_work.restart.afterReboot)
            waitFor(kShutdownPatience);
        if (restart(verdict))
            continue;
        return leave(verdict);
    }
}

void Supervisor::followAttempt()
{
    while (!m_attempt->isOver()) {
        // Waits at most one tick for a signal; the rest is polled.
        handleSignals(kTick);
        watchJob();
        advanceStop();
        heartbeat();
        checkFence();
        endForReturnedHosts();
        reap();
    }
}

void Supervisor::handleSignals(std::chrono::milliseconds patience)
{
    for (const int signal : m_signals.wait(patience)) {
        if (signal == SIGTERM && m_onTermination) {
            if (m_stopCause.empty()) // Slurm repeats its signal
                m_stopCause = m_onTermination();
            if (!isAskedToEnd(m_folder)) // a full disk has no space for the request file
                m_stop.abort(m_work.gracePeriod);
        } else if (signal == SIGTERM && m_work.restart.afterReboot) {
            m_isInterrupted = true;
            m_stop.abort(m_work.gracePeriod);
        } else if (signal == SIGTERM || signal == SIGINT)
            m_stop.abort();
    }
}

void Supervisor::reap()
{
    int status = 0;
    for (pid_t pid = 0; (pid = ::waitpid(-1, &status, WNOHANG)) > 0;) {
        m_attempt->childEnded(pid, status);
        m_membership.childEnded(pid, status);
        m_devices.childEnded(pid, status);
    }
}

void Supervisor::watchJob()
{
    m_attempt->look();
    m_log.setStep(m_attempt->step());
    if (!m_attempt->hasStarted())
        return;
    m_devices.release();
    if (m_log.status().state == RunState::Starting)
        m_log.enter(RunState::Running);
}

/// Reports why a run hangs, once per cause, and ends an attempt that hangs for too long.
void Supervisor::checkForStall()
{
    m_attempt->takePulse();
    const std::string stall = m_attempt->stall();
    if (!stall.empty() && stall != m_reportedStall) {
        m_reportedStall = stall;
        m_log.event({Severity::Warning, "rank-stalled", stall, {}, m_log.status().step});
    }
    if (m_attempt->isStalledForGood() && !m_stop.asked()) {
        m_attempt->giveUp(stall.empty() ? "no step has finished for too long" : stall);
        m_log.setKilled(m_log.status().killed + sweep());
    }
}

void Supervisor::advanceStop()
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
        m_attempt->terminate();
        return;
    case StopSequence::Action::Kill:
        m_log.setKilled(m_log.status().killed + sweep());
        return;
    }
}

void Supervisor::heartbeat()
{
    const auto now = SteadyClock::now();
    if (now < m_nextBeat)
        return;
    m_nextBeat = now + kBeat;
    m_log.heartbeat();
    checkForStall();
}

/// After a newer attempt has fenced this one, kills its own descendants only: the run's other processes
/// belong to the newer attempt.
void Supervisor::checkFence()
{
    if (m_place.fencedBy().empty() && m_place.look())
        sweepDescendants(::getpid(), std::chrono::milliseconds(0));
}

void Supervisor::endForReturnedHosts()
{
    if (m_stop.asked() || !m_membership.shouldEnd())
        return;
    // Written first: if the disk has no space for the next request, the current attempt continues.
    if (const Status kept = keepRequest(m_folder, nextRequest()); !kept.ok())
        m_membership.postpone(kept.error());
    else
        sweep();
}

int Supervisor::sweep()
{
    const auto grace = m_stop.terminated() ? std::chrono::milliseconds(0) : kLeftoverGrace;
    const SweepResult result = m_place.fencedBy().empty() ? sweepRun(m_folder.marker(), ::getpid(), grace)
                                                          : sweepDescendants(::getpid(), grace);
    if (result.left == 0)
        MpiSessions(m_folder.run()).removeUpTo(m_attempt->number());
    else
        m_log.event({Severity::Error,
                     "processes-left",
                     fmt::format("{} processes cannot be killed", result.left),
                     {},
                     0});
    return result.killed;
}

/// Evaluates the attempt after its end, and sweeps its processes.
Verdict Supervisor::conclude()
{
    watchJob();
    advanceStop(); // a job may see the request and end before the supervisor has polled
    Verdict verdict = m_attempt->judge(m_stop, m_place.fencedBy(), m_stopCause);
    m_devices.release();
    m_log.setKilled(m_log.status().killed + sweep());
    reap();
    const bool endedForHosts =
        !m_membership.returned().empty() && !m_stop.asked() && m_place.fencedBy().empty();
    if (endedForHosts && verdict.state != RunState::Finished)
        return {RunState::Failed, m_membership.returned(), {}, FailureKind::Infrastructure};
    for (const EventRecord& event : verdict.events)
        m_log.event(event);
    return verdict;
}

/// Starts the next attempt if the policy allows one. False ends the run with `verdict`, whose reason then
/// says why.
bool Supervisor::restart(Verdict& verdict)
{
    if (verdict.state != RunState::Failed || m_stop.asked())
        return false;
    m_membership.judge(verdict, m_attempt->finishedAStep());
    // Neither is a failure of the hosts that took part, so it is no restart that counts.
    const bool isForHosts = !m_membership.returned().empty() || m_membership.needsAbsentHosts();
    const auto decision =
        isForHosts ? RestartPolicy::Decision{true, {}, {}}
                   : m_restarts.after({verdict.failure, m_attempt->step(), m_attempt->finishedAStep(),
                                       m_folder.publishedCheckpoint()});
    if (!decision.restart) {
        if (!decision.refusal.empty())
            verdict.reason += "; " + decision.refusal;
        return false;
    }
    if (m_attempt->request().allocation) {
        requeue(verdict);
        return false;
    }
    const LaunchRequest next = nextRequest();
    if (const Status begun = begin(next); !begun.ok()) {
        verdict.reason += "; not restarted: " + begun.error().message;
        return false;
    }
    announce(decision.delay, verdict.reason);
    if (!waitFor(decision.delay)) {
        markCancelled(verdict);
        return false;
    }
    return startOnHosts(next, verdict);
}

/// Waits for the attempt's hosts and starts it. False when it did not start; `verdict` then says why.
bool Supervisor::startOnHosts(const LaunchRequest& next, Verdict& verdict)
{
    const Status started = startNext(next);
    if (!started.ok() && started.error().kind == ErrorKind::Cancelled)
        markCancelled(verdict);
    else if (!started.ok())
        verdict.reason += fmt::format("{}attempt {} did not start: {}", verdict.reason.empty() ? "" : "; ",
                                      next.attempt, started.error().message);
    return started.ok();
}

/// In a batch job Slurm starts the next attempt.
void Supervisor::requeue(Verdict& verdict) const
{
    const std::string words = m_requeue ? m_requeue(nextRequest()) : std::string();
    if (words.empty())
        return;
    verdict.state = RunState::Pending;
    verdict.reason += "; " + words;
}

/// A request or a newer attempt ended the run before its next attempt began.
void Supervisor::markCancelled(Verdict& verdict) const
{
    verdict.state = m_place.fencedBy().empty() ? RunState::Stopped : RunState::Failed;
    const bool first = verdict.reason.empty(); // nothing has ended before
    verdict.reason = m_place.fencedBy().empty()
                         ? fmt::format("stopped by request before it {}", first ? "started" : "was restarted")
                         : m_place.fencedBy();
}

LaunchRequest Supervisor::nextRequest() const
{
    LaunchRequest next = m_attempt->request();
    ++next.attempt;
    next.restarts = m_restarts.count();
    return next;
}

/// From here on all records belong to the next attempt, including those of the wait before its start. The
/// files fit into the reserve, so that a run can continue on a full disk.
Status Supervisor::begin(const LaunchRequest& next)
{
    freeReserve(m_folder);
    TRAINYARD_TRY_STATUS(m_place.fenceBefore(next.attempt));
    TRAINYARD_TRY_STATUS(keepRequest(m_folder, next));
    TRAINYARD_TRY_STATUS(m_place.sign());
    m_log.beginAttempt(next.attempt);
    m_log.holdReserve();
    return {};
}

void Supervisor::announce(std::chrono::milliseconds delay, const std::string& reason)
{
    const std::uint32_t next = m_log.status().attempt;
    const std::string text = fmt::format(
        "restarting in {}: {}; attempt {} of at most {} continues {}", formatDuration(delay), reason, next,
        next + static_cast<std::uint32_t>(m_restarts.left()), startingPoint(m_folder));
    m_log.event({Severity::Warning, "restarting", text, {}, m_log.status().step});
    m_log.enter(RunState::Starting, text);
}

/// Waits for `delay`. False when the run has to end before that.
bool Supervisor::waitFor(std::chrono::milliseconds delay)
{
    for (const auto end = SteadyClock::now() + delay; SteadyClock::now() < end;) {
        handleSignals(kTick);
        reap();
        if (m_stop.next(SteadyClock::now()) != StopSequence::Action::None)
            return false;
        if (SteadyClock::now() >= m_nextBeat) {
            m_nextBeat = SteadyClock::now() + kBeat;
            m_log.heartbeat();
        }
        if (m_place.look())
            return false;
    }
    return true;
}

/// Returns the request for hosts that can run ranks and, where the run waits for devices, are free. The hosts
/// come first: only those that take part are asked for their devices, and one that does not answer then may
/// have died.
Result<LaunchRequest> Supervisor::readyHosts(const LaunchRequest& next)
{
    auto deadline = SteadyClock::now() + next.waitForHosts;
    for (;;) {
        TRAINYARD_TRY(LaunchRequest fitted, fitToHosts(next, deadline));
        if (!waitsForDevices(next))
            return fitted;
        TRAINYARD_TRY(const DeviceWait::Answer answer, waitUntilFree(fitted));
        if (answer == DeviceWait::Answer::Free)
            return fitted;
        if (answer == DeviceWait::Answer::InUse) // until now; meanwhile hosts may have come or gone
            deadline = SteadyClock::now() + next.waitForHosts;
        else
            TRAINYARD_TRY_STATUS(waitForHosts(unreachable(m_devices.reason()), deadline, next.waitForHosts));
    }
}

/// Returns the request for the hosts that can run ranks: all that it names or, in an elastic run, those
/// available. Waits for missing hosts: Unreachable when that takes too long, Cancelled when the run has to
/// end meanwhile.
Result<LaunchRequest> Supervisor::fitToHosts(const LaunchRequest& next, SteadyClock::time_point deadline)
{
    if (next.nodes.size() == 1 || m_work.kind != WorkKind::Train)
        return next;
    for (;;) {
        m_membership.ask(m_attempt->request());
        while (!m_membership.hasAnswers()) {
            if (!waitFor(kTick))
                return cancelled("stopped by request");
        }
        auto fitted = m_membership.fit(next);
        if (fitted.ok() || fitted.error().kind != ErrorKind::Unreachable)
            return fitted;
        TRAINYARD_TRY_STATUS(waitForHosts(fitted.error(), deadline, next.waitForHosts));
    }
}

/// Waits before the hosts are asked again. Fails with `missing` once the time is over, Cancelled when the run
/// has to end meanwhile.
Status Supervisor::waitForHosts(const Error& missing, SteadyClock::time_point deadline,
                                std::chrono::milliseconds patience)
{
    if (SteadyClock::now() >= deadline)
        return missing.in("gave up after " + formatDuration(patience));
    reportWaiting(RunState::Starting,
                  fmt::format("waiting up to {}: {}", formatDuration(patience), missing.message));
    return waitFor(kBetweenQuestions) ? Status() : Status(cancelled("stopped by request"));
}

void Supervisor::reportWaiting(RunState state, const std::string& reason)
{
    if (m_log.status().state != state || m_log.status().reason != reason)
        m_log.enter(state, reason);
}

/// Slurm gives its jobs only what is free.
bool Supervisor::waitsForDevices(const LaunchRequest& request) const
{
    return m_work.waitForDevices && !request.allocation;
}

/// Waits until nobody uses the devices and reports meanwhile who does. Returns Free, with the turn held, if
/// they were free at the first question; InUse if the run had to wait; None if a host does not answer.
/// Cancelled when the run has to end meanwhile.
Result<DeviceWait::Answer> Supervisor::waitUntilFree(const LaunchRequest& next)
{
    using Answer = DeviceWait::Answer;
    SteadyClock::time_point reported;
    for (bool hadToWait = false;; hadToWait = true) {
        TRAINYARD_TRY(const Answer answer, askForDevices(next));
        if (answer == Answer::Free && !hadToWait)
            return answer;
        m_devices.release();
        if (answer != Answer::InUse)
            return hadToWait ? Answer::InUse : answer;
        const auto now = SteadyClock::now();
        if (m_log.status().state != RunState::Pending || now - reported > kBetweenReasons) {
            reportWaiting(RunState::Pending, "waiting for devices: " + m_devices.reason());
            reported = now;
        }
        if (!waitFor(kBetweenLooks))
            return cancelled("stopped by request");
    }
}

Result<DeviceWait::Answer> Supervisor::askForDevices(const LaunchRequest& next)
{
    TRAINYARD_TRY(const RunWork work, workOf(next, m_folder, m_work));
    // As the last attempt reached the hosts: the file with their keys belongs to an attempt.
    m_devices.ask(next, work, remoteShell(m_folder, m_attempt->request()));
    while (!m_devices.hasAnswers()) {
        if (!waitFor(kTick))
            return cancelled("stopped by request");
    }
    return m_devices.answer();
}

Status Supervisor::startNext(LaunchRequest next)
{
    TRAINYARD_TRY(next, readyHosts(next));
    freeReserve(m_folder); // as in begin()
    TRAINYARD_TRY_STATUS(keepRequest(m_folder, next));
    TRAINYARD_TRY(m_attempt, Attempt::prepare(m_folder, m_work, next));
    m_reportedStall.clear();
    m_log.enter(RunState::Starting);
    TRAINYARD_TRY_STATUS(startAttempt());
    m_log.holdReserve();
    return {};
}

/// SIGTERM without a request to stop is taken for a shutdown of the host, after which the run resumes: it has
/// no final state then.
bool Supervisor::isInterrupted(const Verdict& verdict) const
{
    return m_isInterrupted && verdict.state != RunState::Finished && m_place.fencedBy().empty() &&
           !isAskedToEnd(m_folder);
}

int Supervisor::leave(const Verdict& verdict)
{
    return isInterrupted(verdict) ? leaveForReboot() : finish(verdict);
}

/// Writes no final state: reviveRuns() recognizes the run by that.
int Supervisor::leaveForReboot()
{
    const std::string reason = fmt::format("the supervisor was asked to end (SIGTERM), for example by a "
                                           "shutdown of {}; afterwards the run resumes {}",
                                           hostName(), startingPoint(m_folder));
    m_log.event({Severity::Warning, "interrupted", reason, {}, m_log.status().step});
    m_log.enter(RunState::Stopping, reason);
    return exitStatus(ErrorKind::Cancelled);
}

int Supervisor::finish(const Verdict& verdict)
{
    if (m_place.fencedBy().empty())
        removeRequests(m_folder);
    m_log.enter(verdict.state, verdict.reason);
    if (m_work.restart.afterReboot)
        cancelRevivalIfUnneeded(m_folder.agentRoot());
    return verdict.state == RunState::Finished ? 0 : verdict.state == RunState::Stopped ? 130 : 5;
}

} // namespace trainyard::agent
