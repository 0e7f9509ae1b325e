#include "remote/agent/host/free_port.h"

#include <cerrno>
#include <netinet/in.h>
#include <sys/socket.h>

#include "engine/base/file.h"

namespace trainyard::agent {

namespace {

/// An address of all zeros in a family that the machine lacks is nobody's.
template <typename Address>
bool canListenOn(int family, const Address& address)
{
    const FileDescriptor socket(::socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (!socket.valid())
        return errno == EAFNOSUPPORT;
    const int yes = 1;
    // As servers do: connections that are closing leave the port free, another listener does not.
    ::setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (family == AF_INET6)
        ::setsockopt(socket.get(), IPPROTO_IPV6, IPV6_V6ONLY, &yes, sizeof yes);
    return ::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 ||
           errno == EADDRNOTAVAIL;
}

} // namespace

bool isFreePort(int port)
{
    sockaddr_in four{};
    four.sin_family = AF_INET;
    four.sin_port = htons(static_cast<std::uint16_t>(port));
    sockaddr_in6 six{};
    six.sin6_family = AF_INET6;
    six.sin6_port = four.sin_port;
    return canListenOn(AF_INET, four) && canListenOn(AF_INET6, six);
}

} // namespace trainyard::agent
