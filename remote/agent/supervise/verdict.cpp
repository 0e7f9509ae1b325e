#include "remote/agent/supervise/verdict.h"

#include <algorithm>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/format.h>

#include "engine/base/file.h"
#include "engine/checkpoint/format/start_choice.h"
#include "remote/agent/supervise/launcher_log.h"
#include "remote/agent/supervise/stall.h"

namespace trainyard::agent {

namespace {

constexpr std::uint64_t kTailBytes = 64 * kKiB;

/// Returns the content of a file from offset `from` on, at most its last 64 KiB.
std::string tailOf(const std::filesystem::path& path, std::uint64_t from)
{
    const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
    const off_t size = file.valid() ? ::lseek(file.get(), 0, SEEK_END) : -1;
    if (size < 0 || static_cast<std::uint64_t>(size) <= from)
        return {};
    const std::uint64_t start =
        std::max(from, static_cast<std::uint64_t>(size) - std::min<std::uint64_t>(size, kTailBytes));
    std::string text(static_cast<std::uint64_t>(size) - start, '\0');
    const ssize_t got = ::pread(file.get(), text.data(), text.size(), static_cast<off_t>(start));
    text.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
    return text;
}

/// SIGKILL does not tell its sender: the text blames the kernel only if it killed processes meanwhile.
std::string signalText(int number, const JobEnd& end)
{
    const std::string name = fmt::format("was killed by signal {} ({})", number, ::strsignal(number));
    if (number != SIGKILL)
        return name;
    return name + (end.outOfMemory ? "; the kernel killed processes for lack of memory while it ran"
                                   : ", for example by hand, or by the kernel for lack of memory");
}

std::string statusText(int status)
{
    switch (status) {
    case 2:
        return "ended with status 2 (bad input)";
    case 3:
        return "ended with status 3 (would not fit or work)";
    case 4:
        return "ended with status 4 (another rank or a device did not answer)";
    case 127:
        return "could not be started (status 127)";
    default:
        return fmt::format("ended with status {}", status);
    }
}

/// Returns the rank that failed first, according to the exit status and mpirun's messages.
std::optional<RankExit> failedRank(const RunFolder& folder, const RunWork& work, const LaunchRequest& request,
                                   const JobEnd& end)
{
    if (work.kind == WorkKind::Prepare)
        return std::nullopt;
    if (end.throughMpi)
        return firstRankExit(tailOf(folder.jobLog(request.attempt), 0));
    RankExit only;
    if (WIFSIGNALED(end.waitStatus))
        only.signal = WTERMSIG(end.waitStatus);
    else
        only.status = WEXITSTATUS(end.waitStatus);
    return only;
}

std::string what(const RankExit& exit, const JobEnd& end)
{
    return exit.signal != 0 ? signalText(exit.signal, end) : statusText(exit.status);
}

/// Returns a rank's last error line in its log of this attempt.
std::string lastErrorOf(const RunFolder& folder, int rank, const std::vector<std::uint64_t>& before)
{
    const auto index = static_cast<std::size_t>(rank);
    return lastErrorLine(tailOf(folder.rankLog(rank), index < before.size() ? before[index] : 0));
}

std::string withCause(const std::string& sentence, const std::string& cause)
{
    return cause.empty() ? sentence : sentence + ": " + cause;
}

/// Returns the rank whose log got the first error in this attempt, by the logs' modification times. OpenMPI 4
/// does not always name the rank that ended first, but exits with its status.
std::optional<RankExit> firstRankWithError(const RunFolder& folder, const RunWork& work, int status,
                                           const std::vector<std::uint64_t>& before)
{
    std::optional<RankExit> first;
    auto earliest = std::filesystem::file_time_type::max();
    for (int rank = 0; rank < work.ranks; ++rank) {
        std::error_code error;
        const auto time = std::filesystem::last_write_time(folder.rankLog(rank), error);
        if (error || time >= earliest || lastErrorOf(folder, rank, before).empty())
            continue;
        earliest = time;
        first = RankExit{rank, 0, status, {}};
    }
    return first;
}

/// mpirun exits with the low byte of its own negative error when it loses a daemon, often without a message.
bool isOrteError(int status)
{
    return status > 128 + SIGRTMAX;
}

std::string programName(const RunWork& work, const JobEnd& end)
{
    return end.throughMpi ? "mpirun" : work.program();
}

std::string programEnd(const RunWork& work, const JobEnd& end)
{
    const std::string name = programName(work, end);
    if (WIFSIGNALED(end.waitStatus))
        return name + " " + signalText(WTERMSIG(end.waitStatus), end);
    const int status = WEXITSTATUS(end.waitStatus);
    if (end.throughMpi && isOrteError(status))
        return fmt::format("mpirun lost the connection to another host (status {})", status);
    if (end.throughMpi && status > 128)
        return fmt::format("a rank {}; mpirun did not say which one", signalText(status - 128, end));
    return name + " " + statusText(status);
}

/// Classifies a signal, which comes from outside: from a person, the kernel or a shutdown of the host.
FailureKind kindOfSignal(int signal, const JobEnd& end)
{
    return signal == SIGKILL && end.outOfMemory ? FailureKind::OutOfMemory : FailureKind::Infrastructure;
}

/// Our programs report why they end (`words`). One that worked and ended without a message was ended by
/// something below it: MPI, a driver, the machine.
FailureKind kindOfStatus(int status, const std::string& words, const JobEnd& end)
{
    const bool isUnexplained = words.empty() && end.finishedAStep;
    return status == exitStatus(ErrorKind::Unreachable) || isUnexplained ? FailureKind::Infrastructure
                                                                         : FailureKind::Work;
}

/// Ranks that do not reach each other end without such an event: its error came from loading.
bool lacksHosts(int status, const JobEnd& end)
{
    return status == exitStatus(ErrorKind::Unreachable) && !end.finishedAStep && end.lastError &&
           end.lastError->kind == "run-failed";
}

/// Classifies the end of mpirun itself, when no rank is known to have failed.
FailureKind kindOfLauncherEnd(const JobEnd& end, std::string_view log, const std::string& words)
{
    if (WIFSIGNALED(end.waitStatus))
        return kindOfSignal(WTERMSIG(end.waitStatus), end);
    const int status = WEXITSTATUS(end.waitStatus);
    if (end.throughMpi && status > 128)
        return isOrteError(status) ? FailureKind::Infrastructure : kindOfSignal(status - 128, end);
    const bool atWork = end.finishedAStep || end.isRestart; // an earlier failure is one of the set-up
    return atWork && daemonDidNotStart(log) ? FailureKind::Infrastructure : kindOfStatus(status, words, end);
}

Verdict lostHost(const std::string& node, const JobEnd& end)
{
    const std::string reason = node + " was lost: mpirun's daemon there no longer responds";
    return {RunState::Failed,
            reason,
            {{Severity::Error, "host-lost", reason, {}, end.step}},
            FailureKind::Infrastructure};
}

Verdict failure(const RunFolder& folder, const RunWork& work, const LaunchRequest& request, const JobEnd& end,
                const std::vector<std::uint64_t>& before)
{
    Verdict verdict;
    const std::string reported = end.lastError ? end.lastError->message : std::string();
    const std::string log = tailOf(folder.jobLog(request.attempt), 0);
    auto exit = failedRank(folder, work, request, end);
    if (!exit && !lostNode(log).empty())
        return lostHost(lostNode(log), end);
    if (!exit && end.throughMpi && WIFEXITED(end.waitStatus))
        exit = firstRankWithError(folder, work, WEXITSTATUS(end.waitStatus), before);
    if (!exit) {
        const std::string words = reported.empty() ? lastErrorLine(log) : reported;
        verdict.failure = kindOfLauncherEnd(end, log, words);
        verdict.lacksHosts = WIFEXITED(end.waitStatus) && lacksHosts(WEXITSTATUS(end.waitStatus), end);
        verdict.reason = withCause(programEnd(work, end), words);
        verdict.events.push_back({Severity::Error, "job-failed", verdict.reason, {}, end.step});
        return verdict;
    }
    const std::string host = verdict.host = hostOfRank(request, exit->rank);
    std::string cause = lastErrorOf(folder, exit->rank, before);
    if (cause.empty() && (exit->rank == 0 || exit->signal == 0))
        cause = reported;
    verdict.failure =
        exit->signal != 0 ? kindOfSignal(exit->signal, end) : kindOfStatus(exit->status, cause, end);
    verdict.lacksHosts = exit->signal == 0 && lacksHosts(exit->status, end);
    verdict.reason = withCause(
        fmt::format("rank {} on {} {}", exit->rank, host.empty() ? exit->node : host, what(*exit, end)),
        cause);
    verdict.events.push_back({Severity::Error, "rank-died", verdict.reason, exit->rank, end.step});
    return verdict;
}

/// The termination handler ended it: names the checkpoint that the next attempt starts from.
Verdict endedFromOutside(const RunFolder& folder, const JobEnd& end)
{
    const auto next = chooseStart(folder.checkpoints());
    const std::int64_t step = next.ok() ? next->step() : 0;
    return {RunState::Stopped,
            end.stopCause +
                (step > 0 ? fmt::format(": checkpoint at step {}", step) : ": without a checkpoint"),
            {}};
}

bool endedWith(const JobEnd& end, int status)
{
    return WIFEXITED(end.waitStatus) && WEXITSTATUS(end.waitStatus) == status;
}

} // namespace

std::vector<std::uint64_t> rankLogSizes(const RunFolder& folder, int ranks)
{
    std::vector<std::uint64_t> sizes;
    for (int rank = 0; rank < ranks; ++rank) {
        std::error_code error;
        const auto size = std::filesystem::file_size(folder.rankLog(rank), error);
        sizes.push_back(error ? 0 : size);
    }
    return sizes;
}

Verdict judge(const RunFolder& folder, const RunWork& work, const LaunchRequest& request, const JobEnd& end,
              const std::vector<std::uint64_t>& logSizesBefore)
{
    if (!end.fenced.empty())
        return {
            RunState::Failed, end.fenced, {{Severity::Warning, "attempt-fenced", end.fenced, {}, end.step}}};
    if (!end.givenUp.empty())
        return {RunState::Failed,
                end.givenUp,
                {{Severity::Error, "given-up", end.givenUp, {}, end.step}},
                FailureKind::Infrastructure};
    if (endedWith(end, 0))
        return {RunState::Finished, end.endedEarly, {}};
    if (!end.stopCause.empty())
        return endedFromOutside(folder, end);
    if (end.stopAsked && end.terminated)
        return {RunState::Stopped,
                "stopped by request; it did not end within its grace period and was terminated",
                {}};
    if (endedWith(end, 130))
        return {RunState::Stopped, "stopped by request", {}};
    Verdict verdict = failure(folder, work, request, end, logSizesBefore);
    if (const std::string hang = openCollective(folder, work, request.attempt); !hang.empty())
        verdict.events.push_back({Severity::Warning, "collective-left-open", hang, {}, end.step});
    return verdict;
}

} // namespace trainyard::agent
