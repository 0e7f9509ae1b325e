#include "remote/agent/lease/renewal.h"

#include <algorithm>
#include <csignal>
#include <fcntl.h>
#include <optional>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "engine/base/file.h"
#include "engine/base/process.h"
#include "engine/base/standard_streams.h"
#include "remote/agent/host/process_table.h"

namespace trainyard::agent {

namespace {

using SteadyClock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds kTick{100};
constexpr int kWordsPerLease = 8; ///< so that some may be late
constexpr milliseconds kMaxPause{5000};

/// mpirun and, above it, the supervisor: both are at work as long as neither of us was given another parent.
class Lineage {
public:
    bool isIntact()
    {
        if (::getppid() != m_parent)
            return false;
        const pid_t grandparent = parentOf(m_parent);
        if (grandparent == 0) // /proc could not be read; mpirun is there, so the next look will tell
            return true;
        if (m_grandparent == 0)
            m_grandparent = grandparent;
        return grandparent == m_grandparent;
    }

private:
    pid_t m_parent = ::getppid();
    pid_t m_grandparent = parentOf(m_parent); ///< 0 = not known yet
};

std::optional<int> statusOf(pid_t child)
{
    int status = 0;
    return ::waitpid(child, &status, WNOHANG) == child ? std::optional(shellStatus(status)) : std::nullopt;
}

/// Never blocks: a link that takes nothing must not keep us from seeing that mpirun is gone.
void sendWord(int pipe)
{
    [[maybe_unused]] const ssize_t sent = ::write(pipe, ".", 1);
}

int follow(pid_t child, FileDescriptor words, milliseconds pause)
{
    Lineage lineage;
    auto next = SteadyClock::now();
    for (;;) {
        if (const auto status = statusOf(child))
            return *status;
        if (!lineage.isIntact())
            words.reset(); // the guard sees the end of its stdin, and the command ends with it
        if (words.valid() && SteadyClock::now() >= next) {
            sendWord(words.get());
            next = SteadyClock::now() + pause;
        }
        std::this_thread::sleep_for(kTick);
    }
}

} // namespace

int runRenewal(milliseconds lease, const std::vector<std::string>& command)
{
    auto pipe = makePipe(O_NONBLOCK);
    if (!pipe.ok())
        return 127;
    ::fcntl(pipe->read.get(), F_SETFL, 0); // the reader's end is an ordinary stdin
    ProcessSpec spec;
    spec.arguments = command;
    spec.environment = environmentWithout({});
    spec.input = pipe->read.get();
    spec.output = STDERR_FILENO;
    const auto child = startProcess(spec);
    if (!child.ok()) {
        printError("trainyard-agent renew", child.error());
        return 127;
    }
    pipe->read.reset();
    return follow(*child, std::move(pipe->write), std::min(lease / kWordsPerLease, kMaxPause));
}

} // namespace trainyard::agent
