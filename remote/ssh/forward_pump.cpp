#include "remote/ssh/forward_pump.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <string_view>

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "remote/ssh/tcp.h"

namespace trainyard::ssh {

namespace {

constexpr std::size_t kPiece = 64 * 1024;

/// Both directions, each with at most one piece in hand; what cannot be passed on is not read.
class Pump {
public:
    Pump(Session session, Channel channel, FileDescriptor far, FileDescriptor stop)
        : m_session(std::move(session))
        , m_channel(std::move(channel))
        , m_far(std::move(far))
        , m_stop(std::move(stop))
    {
    }

    void run()
    {
        m_session.setNonBlocking();
        while (turn()) {
        }
    }

private:
    bool turn()
    {
        bool moved = false;
        if (!fromHost(moved) || !toHost(moved))
            return false;
        return moved || wait();
    }

    bool fromHost(bool& moved)
    {
        if (m_inward.empty()) {
            auto bytes = m_channel.readAvailable(Channel::Stream::Output, kPiece);
            if (!bytes.ok() || (bytes->empty() && m_channel.atEnd()))
                return false;
            m_inward = std::move(bytes).value();
        }
        if (m_inward.empty())
            return true;
        const ssize_t put = ::send(m_far.get(), m_inward.data(), m_inward.size(), MSG_NOSIGNAL);
        if (put < 0)
            return errno == EAGAIN || errno == EINTR;
        m_inward.erase(0, static_cast<std::size_t>(put));
        moved = true;
        return true;
    }

    bool toHost(bool& moved)
    {
        if (m_outward.empty()) {
            m_outward.resize(kPiece);
            const ssize_t got = ::recv(m_far.get(), m_outward.data(), m_outward.size(), 0);
            m_outward.resize(static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
            if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR))
                return false;
        }
        if (m_outward.empty() || m_session.outputPending())
            return true;
        const auto put = m_channel.writeSome(m_outward);
        if (!put.ok())
            return false;
        m_outward.erase(0, *put);
        moved = moved || *put > 0;
        return true;
    }

    bool wait()
    {
        const short session = static_cast<short>(POLLIN | (m_session.outputPending() ? POLLOUT : 0));
        const short far =
            static_cast<short>((m_outward.empty() ? POLLIN : 0) | (m_inward.empty() ? 0 : POLLOUT));
        std::array<pollfd, 3> watched{pollfd{m_session.socket(), session, 0}, pollfd{m_far.get(), far, 0},
                                      pollfd{m_stop.get(), POLLIN, 0}};
        ::poll(watched.data(), watched.size(), -1);
        return watched[2].revents == 0;
    }

    Session m_session; // before the channel, which must go first
    Channel m_channel;
    FileDescriptor m_far;
    FileDescriptor m_stop;
    std::string m_inward;
    std::string m_outward;
};

} // namespace

ForwardPump::ForwardPump(FileDescriptor near, FileDescriptor stop, std::thread thread)
    : m_near(std::move(near)), m_stop(std::move(stop)), m_thread(std::move(thread))
{
}

Result<ForwardPump> ForwardPump::start(Session session, const std::string& host, int port)
{
    TRAINYARD_TRY(Channel channel, session.forward(host, port));
    TRAINYARD_TRY(auto link, makeSocketPair(SOCK_NONBLOCK));
    TRAINYARD_TRY(auto stop, makeSocketPair());
    std::thread thread([pump = std::make_unique<Pump>(std::move(session), std::move(channel),
                                                      std::move(link[1]), std::move(stop[1]))] {
        sigset_t pipe;
        sigemptyset(&pipe);
        sigaddset(&pipe, SIGPIPE); // libssh writes to sockets that may be gone
        ::pthread_sigmask(SIG_BLOCK, &pipe, nullptr);
        pump->run();
    });
    return ForwardPump(std::move(link[0]), std::move(stop[0]), std::move(thread));
}

ForwardPump::~ForwardPump()
{
    m_stop.reset();
    if (m_thread.joinable())
        m_thread.join();
}

} // namespace trainyard::ssh
