#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <netinet/in.h>
#include <sys/socket.h>

namespace trainyard::agent {

/// An IPv4 or IPv6 address with a port, for the calls of sockets.
class SocketAddress {
public:
    /// Returns nullopt for anything but a numeric address, and for one that means all of a machine's
    /// (0.0.0.0, ::).
    static std::optional<SocketAddress> parse(const std::string& address, std::uint16_t port);

    int family() const { return m_place.any.sa_family; }
    /// For calls that read the address, and for those that write one of the same family.
    const sockaddr* data() const { return &m_place.any; }
    sockaddr* data() { return &m_place.any; }
    socklen_t size() const { return family() == AF_INET ? sizeof m_place.four : sizeof m_place.six; }

    std::uint16_t port() const;
    void setPort(std::uint16_t port);

private:
    union Place {
        sockaddr_in6 six;
        sockaddr_in four;
        sockaddr any;
    };
    Place m_place{};
};

} // namespace trainyard::agent
