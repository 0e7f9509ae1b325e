#include "remote/agent/links/link_port.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <list>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>
#include <vector>

#include <fmt/format.h>

#include "remote/agent/links/socket_address.h"
#include "remote/wire/greeting.h"

namespace trainyard::agent {

namespace {

using SteadyClock = std::chrono::steady_clock;

constexpr std::chrono::seconds kLinePatience{5};
constexpr std::size_t kMaxVisitors = 512;
constexpr std::size_t kMaxLineLength = 64;
constexpr std::size_t kMaxEcho = kKiB;

/// One connection. Lives on the thread of serve().
class Visitor {
public:
    Visitor(FileDescriptor socket, const std::string& token) : m_socket(std::move(socket)), m_token(token) {}

    int fd() const { return m_socket.get(); }
    bool isKnown() const { return m_mode != Mode::Line; }
    bool isLate() const { return m_mode == Mode::Line && SteadyClock::now() > m_lineUntil; }

    /// Takes what has come; false when this visit is over.
    bool take()
    {
        const ssize_t got = ::recv(m_socket.get(), buffer().data(), buffer().size(), MSG_DONTWAIT);
        if (got < 0)
            return errno == EAGAIN || errno == EINTR;
        if (got == 0)
            return leave();
        return takeBytes({buffer().data(), static_cast<std::size_t>(got)});
    }

private:
    enum class Mode { Line, Echo, Count };

    /// One for all visitors of a thread: nothing stays in it.
    static std::array<char, 256 * kKiB>& buffer()
    {
        thread_local std::array<char, 256 * kKiB> bytes;
        return bytes;
    }

    bool takeBytes(std::string_view bytes)
    {
        if (m_mode == Mode::Count) {
            m_counted += bytes.size();
            return true;
        }
        if (m_mode == Mode::Echo)
            return echo(bytes);
        const auto end = bytes.find('\n');
        m_line += bytes.substr(0, end);
        if (m_line.size() > kMaxLineLength)
            return false;
        if (end == std::string_view::npos)
            return true;
        return readLine() && (end + 1 == bytes.size() || takeBytes(bytes.substr(end + 1)));
    }

    bool readLine()
    {
        if (m_line == m_token + " echo")
            m_mode = Mode::Echo;
        else if (m_line == m_token + " count")
            m_mode = Mode::Count;
        return m_mode != Mode::Line;
    }

    bool echo(std::string_view bytes)
    {
        m_counted += bytes.size();
        return m_counted <= kMaxEcho && send(bytes);
    }

    bool leave()
    {
        if (m_mode == Mode::Count)
            send(fmt::format("{}\n", m_counted));
        return false;
    }

    /// A few bytes into an empty buffer: no need to wait for room.
    bool send(std::string_view bytes)
    {
        return ::send(m_socket.get(), bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL) ==
               static_cast<ssize_t>(bytes.size());
    }

    FileDescriptor m_socket;
    const std::string& m_token;
    SteadyClock::time_point m_lineUntil = SteadyClock::now() + kLinePatience;
    Mode m_mode = Mode::Line;
    std::string m_line;
    std::uint64_t m_counted = 0;
};

/// Everybody who is connected.
class Visitors {
public:
    explicit Visitors(const std::string& token) : m_token(token) {}

    void welcome(int listener)
    {
        for (;;) {
            FileDescriptor socket(::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC));
            if (!socket.valid())
                return;
            const int on = 1;
            ::setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
            if (m_present.size() < kMaxVisitors)
                m_present.emplace_back(std::move(socket), m_token);
        }
    }

    void addTo(std::vector<pollfd>& wait) const
    {
        for (const Visitor& visitor : m_present)
            wait.push_back({visitor.fd(), POLLIN, 0});
    }

    /// `events` as addTo() wrote them.
    void serve(const pollfd* events)
    {
        for (auto visitor = m_present.begin(); visitor != m_present.end(); ++events) {
            const bool stays = (events->revents == 0 || visitor->take()) && !visitor->isLate();
            if (stays) {
                ++visitor;
                continue;
            }
            count(*visitor);
            visitor = m_present.erase(visitor);
        }
    }

    LinkPort::Visits close()
    {
        for (const Visitor& visitor : m_present)
            count(visitor);
        m_present.clear();
        return m_visits;
    }

private:
    void count(const Visitor& visitor) { ++(visitor.isKnown() ? m_visits.served : m_visits.strangers); }

    const std::string& m_token;
    std::list<Visitor> m_present;
    LinkPort::Visits m_visits;
};

} // namespace

LinkPort::LinkPort(FileDescriptor socket, FileDescriptor wake, std::uint16_t port, std::string token)
    : m_socket(std::move(socket)), m_wake(std::move(wake)), m_port(port), m_token(std::move(token))
{
}

namespace {

/// Binds the first free one of the ports; an errno, 0 = done.
int bindOneOf(int socket, SocketAddress& place, LinkPort::Ports ports)
{
    for (int port = ports.first; port <= ports.last; ++port) {
        place.setPort(static_cast<std::uint16_t>(port));
        if (::bind(socket, place.data(), place.size()) == 0)
            return 0;
        if (errno != EADDRINUSE)
            return errno;
    }
    return EADDRINUSE;
}

} // namespace

Result<std::shared_ptr<LinkPort>> LinkPort::open(const std::string& address, const std::string& token,
                                                 Ports ports)
{
    auto place = SocketAddress::parse(address, 0);
    if (!place)
        return badInput(fmt::format("\"{}\" is not an IP address", address.substr(0, 100)));
    if (!isNonce(token))
        return badInput("the token is not 32 lower-case hex digits");
    FileDescriptor socket(::socket(place->family(), SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    FileDescriptor wake(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    int error = socket.valid() && wake.valid() ? bindOneOf(socket.get(), *place, ports) : errno;
    socklen_t size = place->size();
    if (error == 0 &&
        (::listen(socket.get(), SOMAXCONN) != 0 || ::getsockname(socket.get(), place->data(), &size) != 0))
        error = errno;
    if (error != 0)
        return systemError(error == EADDRNOTAVAIL ? ErrorKind::BadInput : ErrorKind::Failed,
                           "cannot open a port on " + address, error);
    return std::shared_ptr<LinkPort>(new LinkPort(std::move(socket), std::move(wake), place->port(), token));
}

LinkPort::Visits LinkPort::serve(std::chrono::milliseconds life)
{
    const auto end = SteadyClock::now() + std::min<std::chrono::milliseconds>(life, kMaxLifetime);
    Visitors visitors(m_token);
    std::vector<pollfd> wait;
    for (;;) {
        const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - SteadyClock::now());
        wait = {{m_wake.get(), POLLIN, 0}, {m_socket.get(), POLLIN, 0}};
        visitors.addTo(wait);
        // At least once a second, for visitors who say nothing.
        const auto patience = std::min<std::int64_t>(1000, left.count());
        if (patience <= 0 ||
            (::poll(wait.data(), wait.size(), static_cast<int>(patience)) < 0 && errno != EINTR) ||
            wait[0].revents != 0)
            break;
        // Before new visitors are added: `wait` has an entry for each of those who were there when poll()
        // began.
        visitors.serve(wait.data() + 2);
        if (wait[1].revents != 0)
            visitors.welcome(m_socket.get());
    }
    m_socket.reset();
    return visitors.close();
}

void LinkPort::stop()
{
    const std::uint64_t one = 1;
    [[maybe_unused]] const auto written = ::write(m_wake.get(), &one, sizeof one);
}

} // namespace trainyard::agent
