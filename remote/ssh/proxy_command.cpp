#include "remote/ssh/proxy_command.h"

#include <array>
#include <cctype>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <map>
#include <utility>

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/format.h>

#include "remote/ssh/plain_text.h"

extern char** environ;

namespace trainyard::ssh {

namespace {

constexpr std::size_t kMaxMessageLength = 500;
constexpr std::size_t kMaxRead = 64 * 1024;
constexpr int kEndPatienceMs = 500;

struct Ends {
    FileDescriptor near, far;
};

Result<Ends> makeSocketPair()
{
    std::array<int, 2> ends{};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
        return systemError(ErrorKind::Failed, "cannot make a socket pair", errno);
    ::fcntl(ends[0], F_SETFL, O_NONBLOCK);
    return Ends{FileDescriptor(ends[0]), FileDescriptor(ends[1])};
}

/// Neither end blocks: a command that talks more than the pipe holds loses words, not time.
Result<Ends> makeErrorPipe()
{
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC | O_NONBLOCK) != 0)
        return systemError(ErrorKind::Failed, "cannot make a pipe", errno);
    return Ends{FileDescriptor(ends[0]), FileDescriptor(ends[1])};
}

std::string userShell()
{
    const char* shell = std::getenv("SHELL");
    return shell && *shell ? shell : "/bin/sh";
}

/// The attributes and file actions of posix_spawn, freed at the end.
struct Plan {
    Plan()
    {
        ::posix_spawn_file_actions_init(&actions);
        ::posix_spawnattr_init(&attributes);
    }
    ~Plan()
    {
        ::posix_spawn_file_actions_destroy(&actions);
        ::posix_spawnattr_destroy(&attributes);
    }
    Plan(const Plan&) = delete;
    Plan& operator=(const Plan&) = delete;

    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
};

/// A session of its own, and the signals as a program expects them: our thread blocks SIGPIPE.
void startAfresh(Plan& plan)
{
    sigset_t none, defaults;
    sigemptyset(&none);
    sigemptyset(&defaults);
    sigaddset(&defaults, SIGPIPE);
    ::posix_spawnattr_setsigmask(&plan.attributes, &none);
    ::posix_spawnattr_setsigdefault(&plan.attributes, &defaults);
    ::posix_spawnattr_setflags(&plan.attributes,
                               POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
}

Result<pid_t> spawnShell(const std::string& command, int connection, int errors)
{
    const std::string shell = userShell(), line = "exec " + command;
    std::array<char*, 4> argv{const_cast<char*>(shell.c_str()), const_cast<char*>("-c"),
                              const_cast<char*>(line.c_str()), nullptr}; // posix_spawn does not write
    Plan plan;
    startAfresh(plan);
    ::posix_spawn_file_actions_adddup2(&plan.actions, connection, STDIN_FILENO);
    ::posix_spawn_file_actions_adddup2(&plan.actions, connection, STDOUT_FILENO);
    ::posix_spawn_file_actions_adddup2(&plan.actions, errors, STDERR_FILENO);
    ::posix_spawn_file_actions_addclosefrom_np(&plan.actions, STDERR_FILENO + 1);
    pid_t pid = -1;
    const int failure =
        ::posix_spawn(&pid, shell.c_str(), &plan.actions, &plan.attributes, argv.data(), environ);
    if (failure != 0)
        return systemError(ErrorKind::Unreachable, "the ProxyCommand cannot start " + shell, failure);
    return pid;
}

/// What a stream holds until its end, a pause, or more than a pipe's worth.
std::string readToEnd(int fd)
{
    std::string bytes;
    std::array<char, 4096> buffer;
    pollfd ready{fd, POLLIN, 0};
    while (bytes.size() < kMaxRead && ::poll(&ready, 1, kEndPatienceMs) > 0) {
        const ssize_t got = ::read(fd, buffer.data(), buffer.size());
        if (got <= 0)
            break;
        bytes.append(buffer.data(), static_cast<std::size_t>(got));
    }
    return bytes;
}

/// Empty while the child runs.
std::string howItEnded(pid_t child)
{
    siginfo_t info{};
    if (::waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOHANG | WNOWAIT) != 0 ||
        info.si_pid != child)
        return {};
    return info.si_code == CLD_EXITED
               ? fmt::format("the ProxyCommand ended with status {}", info.si_status)
               : fmt::format("the ProxyCommand was ended by signal {}", info.si_status);
}

bool isSafeForAShell(std::string_view text)
{
    for (const char c : text) {
        if (!(std::isalnum(static_cast<unsigned char>(c)) || c == '.' || c == '_' || c == '-' || c == '@' ||
              c == '+'))
            return false;
    }
    return !text.starts_with('-');
}

} // namespace

ProxyCommand::ProxyCommand(FileDescriptor near, FileDescriptor errors, pid_t child)
    : m_near(std::move(near)), m_errors(std::move(errors)), m_child(child)
{
}

ProxyCommand::ProxyCommand(ProxyCommand&& other) noexcept
    : m_near(std::move(other.m_near))
    , m_errors(std::move(other.m_errors))
    , m_child(std::exchange(other.m_child, -1))
{
}

Result<ProxyCommand> ProxyCommand::start(const std::string& command)
{
    TRAINYARD_TRY(Ends connection, makeSocketPair());
    TRAINYARD_TRY(Ends errors, makeErrorPipe());
    TRAINYARD_TRY(const pid_t child, spawnShell(command, connection.far.get(), errors.far.get()));
    return ProxyCommand(std::move(connection.near), std::move(errors.near), child);
}

ProxyCommand::~ProxyCommand()
{
    if (m_child < 0)
        return;
    ::kill(-m_child, SIGKILL);
    while (::waitpid(m_child, nullptr, 0) < 0 && errno == EINTR) {
    }
}

std::string ProxyCommand::lastWords() const
{
    const std::string words = plainText(readToEnd(m_errors.get()), kMaxMessageLength);
    const std::string end = howItEnded(m_child);
    if (words.empty())
        return end;
    return (end.empty() ? "the ProxyCommand says" : end) + ": " + words;
}

Result<std::string> expandProxyCommand(const HostConfig& host)
{
    const std::map<char, std::string> tokens{{'h', host.address},
                                             {'n', host.alias},
                                             {'p', std::to_string(host.port)},
                                             {'r', host.user},
                                             {'%', "%"}};
    std::string expanded;
    for (std::size_t i = 0; i < host.proxyCommand.size(); ++i) {
        if (host.proxyCommand[i] != '%') {
            expanded += host.proxyCommand[i];
            continue;
        }
        const char token = ++i < host.proxyCommand.size() ? host.proxyCommand[i] : '\0';
        const auto found = tokens.find(token);
        if (found == tokens.end())
            return badInput(fmt::format("the ProxyCommand has the unknown token %{}", token),
                            "ssh_config(5) allows %h, %n, %p, %r and %%");
        if (token == 'r' && !isSafeForAShell(host.user))
            return refused("the user name has characters that the ProxyCommand's shell would interpret");
        expanded += found->second;
    }
    return expanded;
}

} // namespace trainyard::ssh
