#include "remote/ssh/subprocess.h"

#include <array>
#include <cerrno>

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/base/units.h"

extern char** environ;

namespace trainyard::ssh {

namespace {

constexpr std::size_t kMaxOutput = kMiB;

struct Pipe {
    FileDescriptor read, write;
};

Result<Pipe> makePipe()
{
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0)
        return systemError(ErrorKind::Failed, "cannot make a pipe", errno);
    return Pipe{FileDescriptor(ends[0]), FileDescriptor(ends[1])};
}

Result<pid_t> spawn(const std::vector<std::string>& arguments, int output, int errors)
{
    std::vector<char*> argv;
    for (const auto& argument : arguments)
        argv.push_back(const_cast<char*>(argument.c_str())); // posix_spawn's argument type; it does not write
    argv.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    ::posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
    ::posix_spawn_file_actions_adddup2(&actions, errors, STDERR_FILENO);
    pid_t pid = -1;
    const int failure = ::posix_spawnp(&pid, argv[0], &actions, nullptr, argv.data(), environ);
    ::posix_spawn_file_actions_destroy(&actions);
    if (failure != 0)
        return systemError(ErrorKind::Unreachable, "cannot start " + arguments[0], failure);
    return pid;
}

/// False at the end of the stream or when the limit is reached.
bool readSome(int fd, std::string& into)
{
    std::array<char, 4096> buffer;
    const ssize_t got = ::read(fd, buffer.data(), buffer.size());
    if (got > 0)
        into.append(buffer.data(), static_cast<std::size_t>(got));
    return got > 0 && into.size() < kMaxOutput;
}

Status collect(int fd, std::string& into, const Interrupt& interrupt, Deadline deadline)
{
    for (;;) {
        switch (interrupt.waitFor(fd, POLLIN, deadline)) {
        case Interrupt::Woken::Interrupted:
            return cancelled("stopped");
        case Interrupt::Woken::TimedOut:
            return unreachable("did not finish in time");
        case Interrupt::Woken::Ready:
            break;
        }
        if (!readSome(fd, into))
            return {};
    }
}

} // namespace

Result<ProcessOutput> runProcess(const std::vector<std::string>& arguments, const Interrupt& interrupt,
                                 Deadline deadline)
{
    TRAINYARD_TRY(Pipe out, makePipe());
    TRAINYARD_TRY(Pipe err, makePipe());
    TRAINYARD_TRY(const pid_t pid, spawn(arguments, out.write.get(), err.write.get()));
    out.write.reset();
    err.write.reset();
    ProcessOutput result;
    // One after the other: a program that fills the second pipe before ending the first would run into the
    // deadline; ssh -G prints at most a few lines of errors.
    Status status = collect(out.read.get(), result.output, interrupt, deadline);
    if (status.ok())
        status = collect(err.read.get(), result.errors, interrupt, deadline);
    if (!status.ok())
        ::kill(pid, SIGKILL);
    int how = 0;
    while (::waitpid(pid, &how, 0) < 0 && errno == EINTR) {
    }
    if (!status.ok())
        return status.error().in(arguments[0]);
    result.exitStatus = WIFEXITED(how) ? WEXITSTATUS(how) : -1;
    return result;
}

} // namespace trainyard::ssh
