#include "remote/ssh/interrupt.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

namespace trainyard::ssh {

Interrupt::Interrupt() : m_event(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK))
{
    TRAINYARD_CHECK(m_event.valid());
}

void Interrupt::trigger()
{
    m_triggered = true;
    const std::uint64_t one = 1;
    // Full only after 2^64-1 triggers; it is readable then anyway.
    [[maybe_unused]] const auto written = ::write(m_event.get(), &one, sizeof one);
    const std::lock_guard lock(m_mutex);
    if (m_socket.valid())
        ::shutdown(m_socket.get(), SHUT_RDWR);
}

void Interrupt::guardSocket(int fd)
{
    const std::lock_guard lock(m_mutex);
    m_socket = FileDescriptor(::fcntl(fd, F_DUPFD_CLOEXEC, 0));
    if (m_triggered && m_socket.valid())
        ::shutdown(m_socket.get(), SHUT_RDWR);
}

Interrupt::Woken Interrupt::waitFor(int fd, short events, Deadline deadline) const
{
    using namespace std::chrono;
    for (;;) {
        if (triggered())
            return Woken::Interrupted;
        const auto left = ceil<milliseconds>(deadline - steady_clock::now());
        if (left <= milliseconds(0))
            return Woken::TimedOut;
        std::array<pollfd, 2> watched{pollfd{fd, events, 0}, pollfd{pollFd(), POLLIN, 0}};
        const int ready = ::poll(watched.data(), watched.size(), static_cast<int>(left.count()));
        if (ready < 0 && errno != EINTR)
            return Woken::TimedOut;
        if (ready > 0 && watched[0].revents != 0 && watched[1].revents == 0)
            return Woken::Ready;
    }
}

} // namespace trainyard::ssh
