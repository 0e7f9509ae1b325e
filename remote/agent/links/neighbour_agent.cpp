#include "remote/agent/links/neighbour_agent.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include "engine/base/process.h"
#include "remote/agent/host/ssh_command.h"
#include "remote/agent/links/host_name.h"
#include "remote/wire/bundle_manifest.h"
#include "remote/wire/error_kind.h"
#include "remote/wire/greeting.h"

namespace trainyard::agent {

namespace {

using nlohmann::json;
using SteadyClock = std::chrono::steady_clock;

constexpr std::chrono::minutes kPatience{10}; ///< for a word: to sync a large file may take long
constexpr std::chrono::seconds kGreetingPatience{30};
constexpr std::chrono::seconds kPingWhileWaiting{5};
constexpr int kPollMs = 200; ///< between looks at stop()
/// A login of hours takes none of the user's forwarded ports, agent and display along, and shares no
/// connection: ending ours would end those that others share with it.
constexpr std::array kOptions{"ConnectTimeout=10", "ServerAliveInterval=5",  "ServerAliveCountMax=3",
                              "ForwardAgent=no",   "ForwardX11=no",          "ControlMaster=no",
                              "ControlPath=none",  "ClearAllForwardings=yes"};
/// Constant, so that no login shell can make something else of it: what varies comes on stdin.
constexpr const char* kStartAgent =
    "exec /bin/sh -c 'read -r sha root; cd \"$root\" || exit 1; TRAINYARD_HOME=$root; export TRAINYARD_HOME; "
    "exec \"./agents/$sha/trainyard-agent\" serve'";

Error errorIn(const json& reply)
{
    const json error = reply.value("error", json::object());
    return {errorKindFromName(error.value("kind", std::string())).value_or(ErrorKind::Failed),
            error.value("message", std::string("no reason given")), error.value("hint", std::string())};
}

} // namespace

NeighbourAgent::~NeighbourAgent()
{
    m_to.reset(); // the other agent ends with its input
    if (m_ssh > 0)
        killGroup(m_ssh);
}

Status NeighbourAgent::connect()
{
    if (!isHostName(m_agent.host) || !m_agent.root.starts_with('/') || !isSha256(m_agent.sha256) ||
        m_agent.root.find('\n') != std::string::npos)
        return badInput("\"" + m_agent.host.substr(0, 100) + "\" is not a host with an agent");
    TRAINYARD_TRY(Pipe input, makePipe());
    TRAINYARD_TRY(Pipe output, makePipe());
    TRAINYARD_TRY(Pipe errors, makePipe());
    std::vector<std::string> options{kOptions.begin(), kOptions.end()};
    options.push_back(m_known);
    std::vector<std::string> command = sshCommand(options);
    command.insert(command.end(), {"-T", "--", m_agent.host, kStartAgent});
    ProcessSpec ssh{std::move(command), environmentWithout({}), {}, output.write.get()};
    ssh.input = input.read.get();
    ssh.errors = errors.write.get();
    ssh.endsWithParent = true;
    TRAINYARD_TRY(m_ssh, startProcess(ssh));
    input.read.reset(); // with ours the end of ssh would not be seen
    output.write.reset();
    errors.write.reset();
    m_to = std::move(input.write);
    m_from = std::move(output.read);
    m_errors = ErrorTail(std::move(errors.read));
    for (const int fd : {m_to.get(), m_from.get()})
        ::fcntl(fd, F_SETFL, O_NONBLOCK);
    const std::string nonce = makeNonce();
    TRAINYARD_TRY_STATUS(write(m_agent.sha256 + ' ' + m_agent.root + '\n' + nonce + '\n'));
    GreetingScanner scanner(nonce);
    for (bool greeted = false; !greeted;) {
        TRAINYARD_TRY(const std::string bytes, read());
        TRAINYARD_TRY(greeted, scanner.feed(bytes));
    }
    m_parser.feed(scanner.rest());
    const auto hello =
        call({{"op", "hello"}, {"silence_ms", std::chrono::milliseconds(kMaxSilence).count()}});
    return hello.ok() ? Status() : Status(hello.error());
}

Result<json> NeighbourAgent::call(json request, const std::function<void(const json&)>& interim)
{
    TRAINYARD_TRY(const std::uint32_t id, begin(std::move(request)));
    for (;;) {
        json message;
        TRAINYARD_TRY(const bool isReply, take(id, message));
        if (isReply)
            return message;
        if (interim)
            interim(message);
    }
}

Result<std::uint32_t> NeighbourAgent::begin(json request)
{
    request["id"] = ++m_lastId;
    TRAINYARD_TRY_STATUS(write(encodeMessage(request.dump())));
    return m_lastId;
}

Status NeighbourAgent::sendChunk(std::uint32_t id, std::string_view bytes)
{
    return write(encodeChunk(id, bytes));
}

Result<bool> NeighbourAgent::take(std::uint32_t id, json& message)
{
    for (;;) {
        TRAINYARD_TRY(const auto frame, m_parser.next());
        if (!frame) {
            TRAINYARD_TRY(const std::string bytes, read());
            m_parser.feed(bytes);
            continue;
        }
        message = json::parse(frame->payload, nullptr, false);
        if (frame->type != FrameType::Message || !message.is_object())
            return failed(m_agent.host + " sent something that is no message");
        if (message.value("id", std::uint32_t{0}) != id)
            continue; // the answer to a ping
        if (!message.contains("ok"))
            return false;
        if (!message["ok"].get<bool>())
            return errorIn(message).in(m_agent.host);
        return true;
    }
}

Status NeighbourAgent::ping()
{
    const auto pinged = begin({{"op", "ping"}});
    return pinged.ok() ? Status() : Status(pinged.error());
}

Status NeighbourAgent::write(std::string_view bytes)
{
    while (!bytes.empty()) {
        const ssize_t put = ::write(m_to.get(), bytes.data(), bytes.size());
        if (put > 0)
            bytes.remove_prefix(static_cast<std::size_t>(put));
        else if (errno != EAGAIN && errno != EINTR)
            return lost("the connection broke");
        else if (const auto ready = waitFor(m_to.get(), POLLOUT, kPatience); !ready.ok())
            return ready.error();
        else if (!*ready)
            return lost("it takes no bytes");
    }
    return {};
}

/// True when the descriptor is ready, false when the time is over. What ssh says meanwhile is read: a full
/// pipe would stop it.
Result<bool> NeighbourAgent::waitFor(int fd, short event, std::chrono::seconds patience)
{
    const auto deadline = SteadyClock::now() + patience;
    for (;;) {
        if (m_stopped)
            return cancelled("sending to another host was cancelled");
        std::array<pollfd, 2> wait{{{fd, event, 0}, {m_errors.fd(), POLLIN, 0}}};
        ::poll(wait.data(), wait.size(), kPollMs);
        if (wait[1].revents != 0)
            m_errors.read();
        if (wait[0].revents != 0)
            return true;
        if (SteadyClock::now() > deadline)
            return false;
    }
}

/// Waits for at least one byte. ssh notices a dead network sooner than we lose patience.
Result<std::string> NeighbourAgent::read()
{
    std::array<char, 64 * kKiB> buffer;
    const bool isGreeted = m_lastId > 0;
    const auto deadline =
        SteadyClock::now() + (isGreeted ? std::chrono::seconds(kPatience) : kGreetingPatience);
    for (;;) {
        TRAINYARD_TRY(const bool ready, waitFor(m_from.get(), POLLIN, kPingWhileWaiting));
        if (!ready && SteadyClock::now() > deadline)
            return lost("it has not answered");
        if (!ready) {
            if (isGreeted)
                TRAINYARD_TRY_STATUS(ping());
            continue;
        }
        const ssize_t got = ::read(m_from.get(), buffer.data(), buffer.size());
        if (got > 0)
            return std::string(buffer.data(), static_cast<std::size_t>(got));
        if (got == 0)
            return lost("the connection ended");
        if (errno != EAGAIN && errno != EINTR)
            return lost("the connection broke");
    }
}

/// ssh explains itself in its last line.
Error NeighbourAgent::lost(const std::string& reason)
{
    m_errors.read();
    const std::string said = m_errors.lastLine();
    return unreachable(m_agent.host + ": " + (said.empty() ? reason : said));
}

} // namespace trainyard::agent
