#include "remote/agent/lease/guard.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <optional>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/format.h>

#include "engine/base/process.h"
#include "engine/base/standard_streams.h"
#include "remote/agent/host/machine.h"
#include "remote/agent/runs/mpi_sessions.h"
#include "remote/agent/runs/run_folder.h"
#include "remote/agent/runs/sweep.h"
#include "remote/agent/usage/device_claim.h"

namespace trainyard::agent {

namespace {

using SteadyClock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kTick{100};
constexpr std::chrono::milliseconds kTermGrace{500};

enum class Word { None, Came, Ended };

/// Waits a tick for a word from the head. Looks before it waits: words that came while this process itself
/// was suspended count.
Word listen()
{
    pollfd head{STDIN_FILENO, POLLIN, 0};
    if (::poll(&head, 1, static_cast<int>(kTick.count())) <= 0)
        return Word::None;
    std::array<char, 256> bytes;
    const ssize_t got = ::read(STDIN_FILENO, bytes.data(), bytes.size());
    if (got > 0)
        return Word::Came;
    return got < 0 && (errno == EINTR || errno == EAGAIN) ? Word::None : Word::Ended;
}

/// The status of `child` once it has ended; collects other children too.
std::optional<int> reap(pid_t child)
{
    std::optional<int> ended;
    int status = 0;
    for (pid_t pid = 0; (pid = ::waitpid(-1, &status, WNOHANG)) > 0;) {
        if (pid == child)
            ended = shellStatus(status);
    }
    return ended;
}

void say(const GuardOptions& options, const std::string& text)
{
    printNotice(fmt::format("trainyard-agent guard on {}, attempt {} of {}: {}\n", hostName(),
                            options.attempt, options.run, text));
}

Status makeSession(const GuardOptions& options)
{
    return options.session.empty() ? Status() : MpiSessions::make(options.session);
}

Result<DeviceClaim> claimDevices(const GuardOptions& options, const std::vector<std::string>& command)
{
    const std::size_t node = daemonNumber(command);
    if (node == 0 || node > options.devices.size() || options.devices[node - 1].ranks == 0)
        return DeviceClaim();
    return DeviceClaim::take(options.root, options.run, options.devices[node - 1]);
}

/// How holding a lease ended: with the daemon, or because of the head.
struct Hold {
    std::optional<int> status; ///< of the daemon
    std::string reason;        ///< why it is to be ended
};

Hold hold(const GuardOptions& options, pid_t daemon)
{
    auto lastWord = SteadyClock::now();
    for (;;) {
        const Word word = listen();
        if (const auto status = reap(daemon))
            return {status, {}};
        const auto now = SteadyClock::now();
        if (word == Word::Came)
            lastWord = now;
        if (word == Word::Ended)
            return {std::nullopt, "the head node is gone"};
        if (now - lastWord > options.lease)
            return {std::nullopt, "the head node did not renew the lease in time"};
    }
}

} // namespace

int runGuard(const GuardOptions& options, const std::vector<std::string>& command)
{
    ::prctl(PR_SET_CHILD_SUBREAPER, 1); // what the daemon leaves becomes ours
    // sshd hangs up when the link breaks, which is when the guard is needed.
    ::signal(SIGHUP, SIG_IGN);
    // Ranks that a broken link left here would still hold the devices that ours need.
    sweepEarlierAttempts(options.run, options.attempt);
    if (const Status made = makeSession(options); !made.ok()) {
        say(options, made.error().text());
        return 1;
    }
    ProcessSpec spec;
    spec.arguments = command;
    auto claim =
        claimDevices(options, command); // until the daemon shows the next run what its ranks will use
    if (!claim.ok()) {
        say(options, claim.error().text());
        return 1;
    }
    const Environment further = claim->environment();
    spec.environment = environmentWithout(further.empty() ? "" : "CUDA_VISIBLE_DEVICES");
    spec.environment.insert(spec.environment.end(), further.begin(), further.end());
    spec.output = STDERR_FILENO;
    spec.endsWithParent = true;
    const auto daemon = startProcess(spec);
    *claim = {};
    if (!daemon.ok()) {
        say(options, daemon.error().text());
        return 127;
    }
    const Hold held = hold(options, *daemon);
    sweepDescendants(::getpid(), kTermGrace);
    // After the ranks, which have the session's files open.
    MpiSessions(options.run).removeUpTo(options.attempt);
    if (!held.reason.empty()) // not before: behind a cut link nobody may take our words
        say(options, held.reason + "; its ranks were terminated");
    return held.status.value_or(1);
}

} // namespace trainyard::agent
