#include "remote/agent/slurm/queue_watch.h"

#include <algorithm>
#include <thread>

#include <fmt/format.h>

#include "engine/base/file.h"
#include "engine/records/fence.h"
#include "remote/agent/host/detach.h"
#include "remote/agent/host/machine.h"
#include "remote/agent/runs/run_requests.h"
#include "remote/agent/runs/run_status.h"
#include "remote/agent/runs/run_work.h"
#include "remote/agent/slurm/job_end.h"
#include "remote/agent/slurm/slurm_control.h"
#include "remote/agent/supervise/launcher_log.h"

namespace trainyard::agent {

namespace {

constexpr std::chrono::seconds kLookInterval{2};
constexpr std::uint64_t kTailBytes = 64 * 1024;

/// That anything was said of, or a supervisor signed.
std::uint32_t lastAttempt(const RunFolder& folder, const SlurmJob& job)
{
    const auto status = readStatus(folder);
    return std::max({job.attempt, status ? status->attempt : 0, lastSignedAttempt(folder)});
}

bool hasLastWord(const RunFolder& folder, std::uint32_t attempt)
{
    const auto status = readStatus(folder);
    return status && status->attempt >= attempt && isFinal(status->state);
}

} // namespace

Result<std::unique_ptr<QueueWatch>> QueueWatch::start(const RunFolder& folder)
{
    auto job = readSlurmJob(folder);
    if (!job)
        return badInput("the run " + folder.run() + " has no batch job");
    TRAINYARD_TRY(const RunWork work, loadWork(folder));
    TRAINYARD_TRY(auto lock, LockFile::tryAcquire(folder.queueLock()));
    if (!lock)
        return std::unique_ptr<QueueWatch>();
    std::unique_ptr<QueueWatch> watch(new QueueWatch(folder, std::move(*job), work.steps, std::move(*lock)));
    watch->look();
    return watch;
}

QueueWatch::QueueWatch(RunFolder folder, SlurmJob job, std::int64_t steps, LockFile lock)
    : m_folder(std::move(folder)), m_job(std::move(job)), m_steps(steps), m_lock(std::move(lock))
{
}

void QueueWatch::run()
{
    while (!m_over && m_folder.exists()) {
        std::this_thread::sleep_for(kLookInterval);
        look();
    }
}

void QueueWatch::look()
{
    // Before Slurm is asked: an attempt that begins after its answer is the next one, and not to be fenced.
    const std::uint32_t lastSigned = lastSignedAttempt(m_folder);
    const std::uint32_t last = lastAttempt(m_folder, m_job);
    const auto facts = askJob(m_folder, m_job);
    if (!facts.ok())
        return complain(facts.error().text());
    m_complaint.clear();
    if (!*facts || phaseOf(**facts) == JobPhase::Ended)
        return conclude(*facts, last);
    if (phaseOf(**facts) == JobPhase::Waiting)
        return wait(**facts, lastSigned);
    m_place.reset(); // the supervisor in the job waits for it
    m_fencedOff = false;
}

void QueueWatch::wait(const JobFacts& job, std::uint32_t lastSigned)
{
    const std::uint32_t attempt = attemptOf(m_job, job.restarts, lastSigned);
    if (takePlace(attempt))
        say(RunState::Pending, queueText(job));
    else
        fenceBefore(attempt);
}

void QueueWatch::conclude(const std::optional<JobFacts>& job, std::uint32_t attempt)
{
    if (m_fencedOff || !hasLastWord(m_folder, attempt)) {
        if (!takePlace(attempt))
            return fenceBefore(attempt + 1);
        // Asked again in its place: it may have spoken just before. That it was fenced is no reason.
        if (m_fencedOff || !hasLastWord(m_folder, attempt)) {
            const JobEnding end = endingOf(m_job.id, job, isAskedToEnd(m_folder), lastWords(),
                                           m_folder.batchLog(m_job.attempt));
            say(end.state, end.reason);
        }
    }
    removeRequests(m_folder);
    m_place.reset();
    m_over = true;
}

void QueueWatch::fenceBefore(std::uint32_t attempt)
{
    const Status raised = Fence(m_folder.path(), attempt).raise();
    if (!raised.ok())
        complain(raised.error().text());
    m_fencedOff = true;
}

bool QueueWatch::takePlace(std::uint32_t attempt)
{
    if (m_place && m_place->attempt == attempt)
        return true;
    m_place.reset();
    auto lock = LockFile::tryAcquire(m_folder.supervisorLock());
    if (!lock.ok() || !*lock) {
        complain(lock.ok() ? "an earlier attempt is still running" : lock.error().text());
        return false;
    }
    auto log = RunLog::open(m_folder, attempt, m_steps);
    if (!log.ok()) {
        complain(log.error().text());
        return false;
    }
    m_place.emplace(Place{attempt, std::move(**lock), std::move(log).value()});
    return true;
}

void QueueWatch::say(RunState state, const std::string& reason)
{
    const RunStatus& said = m_place->log.status();
    if (said.state != state || said.reason != reason)
        m_place->log.enter(state, reason);
}

void QueueWatch::complain(const std::string& text)
{
    if (text == m_complaint)
        return;
    m_complaint = text;
    logLine(text);
    if (m_place)
        say(RunState::Pending, fmt::format("queued as Slurm job {}; {}", m_job.id, text));
}

std::string QueueWatch::lastWords() const
{
    const auto text = readFile(m_folder.batchLog(m_job.attempt));
    if (!text.ok())
        return {};
    return lastErrorLine(
        std::string_view(*text).substr(text->size() - std::min<std::size_t>(text->size(), kTailBytes)));
}

Result<DetachedStart> startQueueWatch(const RunFolder& folder)
{
    return startDetached({ownProgram(), "watch-job", "--run-dir", folder.path()});
}

bool isQueueWatched(const RunFolder& folder)
{
    return LockFile::isHeld(folder.queueLock());
}

void restoreQueueWatches(const std::filesystem::path& agentRoot)
{
    std::error_code ignored;
    for (const auto& entry : std::filesystem::directory_iterator(agentRoot / "runs", ignored)) {
        const RunFolder folder(entry.path());
        const auto job = isSafeName(folder.run()) ? readSlurmJob(folder) : std::nullopt;
        if (!job || isQueueWatched(folder) || hasLastWord(folder, lastAttempt(folder, *job)))
            continue;
        if (const auto started = startQueueWatch(folder); !started.ok())
            printError("trainyard-agent", started.error().in(folder.run()));
    }
}

} // namespace trainyard::agent
