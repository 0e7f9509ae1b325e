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
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/format.h>

#include "engine/base/process.h"
#include "remote/ssh/plain_text.h"
#include "remote/ssh/tcp.h"

namespace trainyard::ssh {

namespace {

constexpr std::size_t kMaxMessageLength = 500;
constexpr std::size_t kMaxRead = 64 * 1024;
constexpr int kEndPatienceMs = 500;

std::string userShell()
{
    const char* shell = std::getenv("SHELL");
    return shell && *shell ? shell : "/bin/sh";
}

Result<pid_t> startShell(const std::string& command, int connection, int errors)
{
    ProcessSpec spec;
    spec.arguments = {userShell(), "-c", "exec " + command};
    spec.environment = environmentWithout({});
    spec.input = spec.output = connection;
    spec.errors = errors;
    spec.newSession = true;
    auto child = startProcess(spec);
    return child.ok() ? std::move(child) : unreachable("the ProxyCommand: " + child.error().message);
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
    TRAINYARD_TRY(auto connection, makeSocketPair());
    ::fcntl(connection[0].get(), F_SETFL, O_NONBLOCK);
    // Neither end blocks: a command that writes more than the pipe holds loses text, not time.
    TRAINYARD_TRY(Pipe errors, makePipe(O_NONBLOCK));
    TRAINYARD_TRY(const pid_t child, startShell(command, connection[1].get(), errors.write.get()));
    return ProxyCommand(std::move(connection[0]), std::move(errors.read), child);
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
