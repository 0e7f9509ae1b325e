#include "remote/ssh/tcp.h"

#include <cerrno>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <fmt/format.h>

namespace trainyard::ssh {

namespace {

struct Address {
    sockaddr_storage storage{};
    socklen_t size = 0;
};

/// What the look-up thread fills; shared, because the thread may outlive us when a name server hangs.
struct LookUp {
    FileDescriptor done{::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
    int failure = 0;
    std::vector<Address> addresses;
};

int familyNumber(AddressFamily family)
{
    return family == AddressFamily::Inet ? AF_INET : family == AddressFamily::Inet6 ? AF_INET6 : AF_UNSPEC;
}

void lookUp(LookUp& result, const Destination& to)
{
    addrinfo hints{};
    hints.ai_family = familyNumber(to.family);
    hints.ai_socktype = SOCK_STREAM;
    hints.ai_flags = AI_NUMERICSERV;
    addrinfo* list = nullptr;
    result.failure = ::getaddrinfo(to.host.c_str(), std::to_string(to.port).c_str(), &hints, &list);
    for (const addrinfo* entry = list; entry; entry = entry->ai_next) {
        Address address;
        address.size = entry->ai_addrlen;
        std::copy_n(reinterpret_cast<const char*>(entry->ai_addr), entry->ai_addrlen,
                    reinterpret_cast<char*>(&address.storage));
        result.addresses.push_back(address);
    }
    if (list)
        ::freeaddrinfo(list);
    const std::uint64_t one = 1;
    [[maybe_unused]] const auto written = ::write(result.done.get(), &one, sizeof one);
}

Result<std::vector<Address>> resolve(const Destination& to, Interrupt& interrupt, Deadline deadline)
{
    auto result = std::make_shared<LookUp>();
    std::thread([result, to] { lookUp(*result, to); }).detach();
    switch (interrupt.waitFor(result->done.get(), POLLIN, deadline)) {
    case Interrupt::Woken::Interrupted:
        return cancelled("stopped");
    case Interrupt::Woken::TimedOut:
        return unreachable("the name server did not answer", "check the network connection");
    case Interrupt::Woken::Ready:
        break;
    }
    if (result->failure != 0)
        return unreachable(
            fmt::format("the name {} cannot be resolved: {}", to.host, ::gai_strerror(result->failure)),
            "check the spelling, or give HostName in the ssh configuration");
    return std::move(result->addresses);
}

std::string textOf(const Address& address)
{
    char host[NI_MAXHOST] = "?";
    ::getnameinfo(reinterpret_cast<const sockaddr*>(&address.storage), address.size, host, sizeof host,
                  nullptr, 0, NI_NUMERICHOST);
    return host;
}

void set(int fd, int level, int option, int value)
{
    // Each of these only makes a dead peer show earlier; the link's own ping notices it without them.
    ::setsockopt(fd, level, option, &value, sizeof value);
}

void tune(int fd)
{
    set(fd, IPPROTO_TCP, TCP_NODELAY, 1);
    set(fd, SOL_SOCKET, SO_KEEPALIVE, 1);
    // A dead peer shows after 10 + 3 * 5 s of silence, or 15 s after data that it does not acknowledge.
    set(fd, IPPROTO_TCP, TCP_KEEPIDLE, 10);
    set(fd, IPPROTO_TCP, TCP_KEEPINTVL, 5);
    set(fd, IPPROTO_TCP, TCP_KEEPCNT, 3);
    set(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, 15'000);
    // Little unsent data in the kernel: a control message does not wait behind seconds of upload.
    set(fd, IPPROTO_TCP, TCP_NOTSENT_LOWAT, 128 * 1024);
}

Result<FileDescriptor> connectTo(const Address& address, Interrupt& interrupt, Deadline deadline)
{
    FileDescriptor socket(::socket(address.storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (!socket.valid())
        return systemError(ErrorKind::Unreachable, textOf(address), errno);
    tune(socket.get());
    int failure = 0;
    if (::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address.storage), address.size) != 0)
        failure = errno;
    if (failure == EINPROGRESS) {
        switch (interrupt.waitFor(socket.get(), POLLOUT, deadline)) {
        case Interrupt::Woken::Interrupted:
            return cancelled("stopped");
        case Interrupt::Woken::TimedOut:
            return systemError(ErrorKind::Unreachable, textOf(address), ETIMEDOUT);
        case Interrupt::Woken::Ready:
            break;
        }
        socklen_t size = sizeof failure;
        ::getsockopt(socket.get(), SOL_SOCKET, SO_ERROR, &failure, &size);
    }
    if (failure != 0)
        return systemError(ErrorKind::Unreachable, textOf(address), failure);
    return socket;
}

} // namespace

Result<FileDescriptor> connectTcp(const Destination& to, Interrupt& interrupt, Deadline deadline)
{
    TRAINYARD_TRY(const auto addresses, resolve(to, interrupt, deadline));
    std::string tried;
    for (std::size_t i = 0; i < addresses.size(); ++i) {
        const auto now = std::chrono::steady_clock::now();
        // A share for each address: one that drops packets must not use up the time of the others.
        const auto share = (deadline - now) / static_cast<int>(addresses.size() - i);
        auto socket = connectTo(addresses[i], interrupt, now + share);
        if (socket.ok() || socket.error().kind == ErrorKind::Cancelled)
            return socket;
        tried += (tried.empty() ? "" : "; ") + socket.error().message;
    }
    return unreachable(fmt::format("port {} does not answer ({})", to.port, tried),
                       "check that the host is up, that sshd runs there and that no firewall is in between");
}

Result<std::array<FileDescriptor, 2>> makeSocketPair(int flags)
{
    int ends[2];
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | flags, 0, ends) != 0)
        return systemError(ErrorKind::Failed, "cannot make a socket pair", errno);
    return std::array{FileDescriptor(ends[0]), FileDescriptor(ends[1])};
}

} // namespace trainyard::ssh
