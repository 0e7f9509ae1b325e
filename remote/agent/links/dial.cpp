#include "remote/agent/links/dial.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <optional>
#include <poll.h>
#include <sys/socket.h>

#include <fmt/format.h>

#include "engine/base/file.h"
#include "engine/base/units.h"
#include "remote/agent/links/socket_address.h"

namespace trainyard::agent {

namespace {

using SteadyClock = std::chrono::steady_clock;
using Milliseconds = std::chrono::milliseconds;

constexpr int kEchoes = 5;

std::string wordsFor(int errorNumber)
{
    switch (errorNumber) {
    case ECONNREFUSED:
        return "refused";
    case EHOSTUNREACH:
    case ENETUNREACH:
        return "no route";
    case EACCES:
    case EPERM:
        return "forbidden by this host's own firewall";
    default:
        return std::strerror(errorNumber);
    }
}

double millisecondsSince(SteadyClock::time_point begin)
{
    return std::chrono::duration<double, std::milli>(SteadyClock::now() - begin).count();
}

int millisecondsUntil(SteadyClock::time_point end)
{
    const auto left = std::chrono::ceil<Milliseconds>(end - SteadyClock::now());
    return static_cast<int>(std::max<std::int64_t>(0, left.count()));
}

/// A connection that has begun, or the errno that ended it at once.
struct Begun {
    FileDescriptor socket;
    int error = 0;
};

Begun beginConnect(const LinkPeer& peer)
{
    const auto place = SocketAddress::parse(peer.address, peer.port);
    if (!place)
        return {{}, EINVAL};
    FileDescriptor socket(::socket(place->family(), SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (!socket.valid())
        return {{}, errno};
    const int on = 1;
    ::setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    if (::connect(socket.get(), place->data(), place->size()) != 0 && errno != EINPROGRESS)
        return {{}, errno};
    return {std::move(socket), 0};
}

int connectError(int socket)
{
    int error = 0;
    socklen_t size = sizeof error;
    return ::getsockopt(socket, SOL_SOCKET, SO_ERROR, &error, &size) == 0 ? error : errno;
}

bool sendAll(int socket, std::string_view bytes)
{
    return ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(bytes.size());
}

/// Connecting, then some bytes to and fro, one step for each time that the socket is ready.
class Dial {
public:
    explicit Dial(const LinkPeer& peer) : m_peer(peer)
    {
        Begun begun = beginConnect(peer);
        m_socket = std::move(begun.socket);
        if (begun.error != 0)
            end(wordsFor(begun.error));
    }

    bool isOver() const { return m_over; }
    pollfd waitsFor() const
    {
        return {m_socket.get(), static_cast<short>(m_connected ? POLLIN : POLLOUT), 0};
    }
    const LinkTrial& trial() const { return m_trial; }

    void onReady()
    {
        if (!m_connected)
            onConnected();
        else
            onEcho();
    }

    void giveUp(Milliseconds patience)
    {
        if (!m_over)
            end(fmt::format("no answer within {}{}", formatDuration(patience),
                            m_connected ? ", although it connects" : ""));
    }

private:
    void onConnected()
    {
        if (const int error = connectError(m_socket.get()); error != 0)
            return end(wordsFor(error));
        m_connected = true;
        if (!sendAll(m_socket.get(), m_peer.token + " echo\n"))
            return end("closed at once");
        sendEcho();
    }

    void sendEcho()
    {
        m_sent = SteadyClock::now();
        if (!sendAll(m_socket.get(), "."))
            end("closed at once");
    }

    void onEcho()
    {
        char byte = 0;
        const ssize_t got = ::recv(m_socket.get(), &byte, 1, 0);
        if (got < 0 && (errno == EAGAIN || errno == EINTR))
            return;
        if (got <= 0 || byte != '.')
            return end("something else answers there");
        const double latency = millisecondsSince(m_sent);
        m_trial.latencyMs = m_echoes == 0 ? latency : std::min(m_trial.latencyMs, latency);
        if (++m_echoes == kEchoes)
            return end({});
        sendEcho();
    }

    void end(std::string error)
    {
        m_trial.error = std::move(error);
        m_over = true;
        m_socket.reset();
    }

    const LinkPeer& m_peer;
    FileDescriptor m_socket;
    LinkTrial m_trial;
    SteadyClock::time_point m_sent;
    int m_echoes = 0;
    bool m_connected = false;
    bool m_over = false;
};

/// Waits for one socket; false when the time is over.
bool waitFor(int socket, short events, SteadyClock::time_point end)
{
    pollfd wait{socket, events, 0};
    const int ready = ::poll(&wait, 1, millisecondsUntil(end));
    return ready > 0 || (ready < 0 && errno == EINTR);
}

/// Sends until `end`; false when the connection broke.
bool streamUntil(int socket, SteadyClock::time_point end)
{
    static const std::array<char, 256 * kKiB> zeros{};
    while (SteadyClock::now() < end && waitFor(socket, POLLOUT, end)) {
        if (::send(socket, zeros.data(), zeros.size(), MSG_NOSIGNAL) < 0 && errno != EAGAIN && errno != EINTR)
            return false;
    }
    return true;
}

/// The peer's count; nothing when it does not come in time.
std::optional<std::uint64_t> readCount(int socket, SteadyClock::time_point end)
{
    std::string line;
    while (line.find('\n') == std::string::npos && line.size() < 32 && waitFor(socket, POLLIN, end)) {
        std::array<char, 32> buffer;
        const ssize_t got = ::recv(socket, buffer.data(), buffer.size(), 0);
        if (got > 0)
            line.append(buffer.data(), static_cast<std::size_t>(got));
        else if (got == 0 || (errno != EAGAIN && errno != EINTR))
            break;
    }
    if (line.empty() || line.back() != '\n')
        return std::nullopt;
    return std::strtoull(line.c_str(), nullptr, 10);
}

} // namespace

std::vector<LinkTrial> dialAll(const std::vector<LinkPeer>& peers, Milliseconds patience)
{
    const auto end = SteadyClock::now() + patience;
    std::vector<Dial> dials;
    dials.reserve(peers.size());
    for (const LinkPeer& peer : peers)
        dials.emplace_back(peer);
    for (;;) {
        std::vector<pollfd> wait;
        std::vector<Dial*> waiting;
        for (Dial& dial : dials) {
            if (dial.isOver())
                continue;
            wait.push_back(dial.waitsFor());
            waiting.push_back(&dial);
        }
        // What came in time counts, also where this process was held up.
        if (waiting.empty() || ::poll(wait.data(), wait.size(), millisecondsUntil(end)) == 0)
            break;
        for (std::size_t i = 0; i < waiting.size(); ++i) {
            if (wait[i].revents != 0)
                waiting[i]->onReady();
        }
    }
    std::vector<LinkTrial> trials;
    for (Dial& dial : dials) {
        dial.giveUp(patience);
        trials.push_back(dial.trial());
    }
    return trials;
}

LinkTrial streamTo(const LinkPeer& peer, Milliseconds duration, Milliseconds patience)
{
    LinkTrial trial;
    const Begun begun = beginConnect(peer);
    const int socket = begun.socket.get();
    const bool ready = begun.error == 0 && waitFor(socket, POLLOUT, SteadyClock::now() + patience);
    if (const int error = begun.error != 0 ? begun.error
                          : ready          ? connectError(socket)
                                           : ETIMEDOUT;
        error != 0) {
        trial.error = wordsFor(error);
        return trial;
    }
    const auto begin = SteadyClock::now();
    const bool sent = sendAll(socket, peer.token + " count\n") && streamUntil(socket, begin + duration);
    ::shutdown(socket, SHUT_WR);
    const auto count = sent ? readCount(socket, SteadyClock::now() + patience) : std::nullopt;
    if (!count)
        trial.error = "the connection broke during the measurement";
    else
        trial.bytesPerSecond = double(*count) * 1000 / millisecondsSince(begin);
    return trial;
}

} // namespace trainyard::agent
