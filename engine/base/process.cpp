#include "engine/base/process.h"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "engine/base/units.h"

namespace trainyard {

namespace {

using SteadyClock = std::chrono::steady_clock;

constexpr std::size_t kMaxOutput = 256 * kKiB;
constexpr std::chrono::seconds kReapPatience{1};

std::vector<char*> pointersTo(const std::vector<std::string>& texts)
{
    std::vector<char*> pointers;
    for (const std::string& text : texts)
        pointers.push_back(const_cast<char*>(text.c_str()));
    pointers.push_back(nullptr);
    return pointers;
}

/// What the child does between fork and exec. Only async-signal-safe calls: the parent may have other
/// threads.
struct ChildSetup {
    std::string program;
    std::vector<char*> arguments;
    std::vector<char*> environment;
    const char* folder;
    int input;
    int output;
    int errors;
    bool endsWithParent;
    bool newSession;
    pid_t parent;
    int errorPipe;

    [[noreturn]] void fail() const
    {
        const int error = errno;
        [[maybe_unused]] const ssize_t put = ::write(errorPipe, &error, sizeof error);
        ::_exit(127);
    }

    void resetSignals() const
    {
        for (int signal = 1; signal < NSIG; ++signal)
            ::signal(signal, SIG_DFL);
        sigset_t none;
        sigemptyset(&none);
        sigprocmask(SIG_SETMASK, &none, nullptr);
    }

    void redirect() const
    {
        const int nothing = ::open("/dev/null", O_RDWR | O_CLOEXEC);
        const int source = input >= 0 ? input : nothing;
        const int sink = output >= 0 ? output : nothing;
        const int errorSink = errors >= 0 ? errors : nothing;
        if (nothing < 0 || ::dup2(source, 0) < 0 || ::dup2(sink, 1) < 0 || ::dup2(errorSink, 2) < 0)
            fail();
        // dup2() has cleared close-on-exec of 0 to 2. The others are only marked, not closed: the pipe for
        // errors is needed until exec succeeds.
        ::syscall(SYS_close_range, 3u, UINT_MAX, 4u /* CLOSE_RANGE_CLOEXEC */);
    }

    [[noreturn]] void execute() const
    {
        // First, so that no handler of the parent runs in the child; a blocked signal would stay blocked
        // after exec.
        resetSignals();
        newSession ? ::setsid() : ::setpgid(0, 0);
        redirect();
        if (folder && ::chdir(folder) != 0)
            fail();
        if (endsWithParent) {
            // fork() clears this setting, so only the child can make it.
            ::prctl(PR_SET_PDEATHSIG, SIGTERM);
            if (::getppid() != parent) // it died before the request was in place
                ::_exit(127);
        }
        ::execve(program.c_str(), arguments.data(), environment.data());
        fail();
    }
};

Result<CommandOutput> collect(pid_t child, int readEnd, std::chrono::milliseconds timeout,
                              const std::string& name)
{
    const auto deadline = SteadyClock::now() + timeout;
    CommandOutput output;
    std::string buffer(16 * kKiB, '\0');
    for (;;) {
        const auto left =
            std::chrono::duration_cast<std::chrono::milliseconds>(deadline - SteadyClock::now()).count();
        pollfd wait{readEnd, POLLIN, 0};
        const int ready = left > 0 ? ::poll(&wait, 1, static_cast<int>(left)) : 0;
        if (ready < 0)
            continue; // interrupted
        if (ready == 0) {
            killGroup(child);
            return failed(name + " did not answer within " + formatDuration(timeout));
        }
        // What exceeds the limit is read and dropped: a program that blocks on a full pipe never ends.
        const ssize_t got = ::read(readEnd, buffer.data(), buffer.size());
        if (got > 0)
            output.text.append(buffer.data(),
                               std::min<std::size_t>(static_cast<std::size_t>(got),
                                                     kMaxOutput - std::min(output.text.size(), kMaxOutput)));
        else if (got == 0 || errno != EINTR)
            break;
    }
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    output.status = shellStatus(status);
    return output;
}

Result<CommandOutput> runToItsEnd(ProcessSpec spec, std::chrono::milliseconds timeout)
{
    TRAINYARD_TRY(Pipe output, makePipe());
    spec.output = output.write.get();
    TRAINYARD_TRY(const pid_t child, startProcess(spec));
    output.write.reset();
    return collect(child, output.read.get(), timeout, spec.arguments[0]);
}

} // namespace

Environment keptEnvironment(const std::vector<std::string_view>& names)
{
    Environment kept;
    for (char** entry = environ; *entry; ++entry) {
        const std::string_view text(*entry);
        if (std::find(names.begin(), names.end(), text.substr(0, text.find('='))) != names.end())
            kept.emplace_back(text);
    }
    return kept;
}

Environment environmentWithout(std::string_view name)
{
    Environment kept;
    for (char** entry = environ; *entry; ++entry) {
        const std::string_view text(*entry);
        if (text.substr(0, text.find('=')) != name)
            kept.emplace_back(text);
    }
    return kept;
}

std::string programInPath(const std::string& name)
{
    if (name.find('/') != std::string::npos)
        return name;
    const char* path = std::getenv("PATH");
    std::string_view rest = path ? path : "/usr/local/bin:/usr/bin:/bin";
    while (true) {
        const auto colon = rest.find(':');
        const std::string candidate = std::string(rest.substr(0, colon)) + "/" + name;
        if (::access(candidate.c_str(), X_OK) == 0)
            return candidate;
        if (colon == std::string_view::npos)
            return {};
        rest.remove_prefix(colon + 1);
    }
}

Result<Pipe> makePipe(int flags)
{
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC | flags) != 0)
        return systemError(ErrorKind::Failed, "cannot make a pipe", errno);
    return Pipe{FileDescriptor(ends[0]), FileDescriptor(ends[1])};
}

Result<pid_t> startProcess(const ProcessSpec& spec)
{
    TRAINYARD_CHECK(!spec.arguments.empty());
    const std::string program = programInPath(spec.arguments[0]);
    if (program.empty())
        return failed("cannot start " + spec.arguments[0] + ": it is not in PATH");
    TRAINYARD_TRY(Pipe errors, makePipe());
    const ChildSetup setup{program,
                           pointersTo(spec.arguments),
                           pointersTo(spec.environment),
                           spec.folder.empty() ? nullptr : spec.folder.c_str(),
                           spec.input,
                           spec.output,
                           spec.errors.value_or(spec.output),
                           spec.endsWithParent,
                           spec.newSession,
                           ::getpid(),
                           errors.write.get()};
    const pid_t child = ::fork();
    if (child < 0)
        return systemError(ErrorKind::Failed, "cannot start " + program, errno);
    if (child == 0)
        setup.execute();
    if (!spec.newSession)
        ::setpgid(child, child); // both sides do it, so that neither has to wait for the other
    errors.write.reset();
    int error = 0;
    ssize_t got = 0;
    while ((got = ::read(errors.read.get(), &error, sizeof error)) < 0 && errno == EINTR) {
    }
    // exec closes the pipe: its end means that the program runs, four bytes are the errno of the step that
    // failed.
    if (got == 0)
        return child;
    ::waitpid(child, nullptr, 0);
    return systemError(ErrorKind::Failed, "cannot start " + program, error);
}

Result<CommandOutput> runCommand(const std::vector<std::string>& arguments, std::chrono::milliseconds timeout,
                                 Environment environment)
{
    ProcessSpec spec;
    spec.arguments = arguments;
    spec.environment = std::move(environment);
    return runToItsEnd(std::move(spec), timeout);
}

Result<CommandOutput> readCommand(const std::vector<std::string>& arguments,
                                  std::chrono::milliseconds timeout)
{
    ProcessSpec spec;
    spec.arguments = arguments;
    spec.environment = environmentWithout("TRAINYARD_RUN");
    spec.errors = -1;
    return runToItsEnd(std::move(spec), timeout);
}

void killGroup(pid_t leader)
{
    // The group, because children of the program may hold our pipe open.
    ::kill(-leader, SIGKILL);
    const auto deadline = SteadyClock::now() + kReapPatience;
    while (::waitpid(leader, nullptr, WNOHANG) == 0 && SteadyClock::now() < deadline)
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
}

int shellStatus(int waitStatus)
{
    return WIFSIGNALED(waitStatus) ? 128 + WTERMSIG(waitStatus) : WEXITSTATUS(waitStatus);
}

} // namespace trainyard
