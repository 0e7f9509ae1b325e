#include "remote/agent/links/socket_address.h"

#include <arpa/inet.h>

namespace trainyard::agent {

std::optional<SocketAddress> SocketAddress::parse(const std::string& address, std::uint16_t port)
{
    SocketAddress parsed;
    in_addr four{};
    in6_addr six{};
    if (::inet_pton(AF_INET, address.c_str(), &four) == 1 && four.s_addr != INADDR_ANY) {
        parsed.m_place.four = {};
        parsed.m_place.four.sin_family = AF_INET;
        parsed.m_place.four.sin_addr = four;
    } else if (::inet_pton(AF_INET6, address.c_str(), &six) == 1 && !IN6_IS_ADDR_UNSPECIFIED(&six)) {
        parsed.m_place.six.sin6_family = AF_INET6;
        parsed.m_place.six.sin6_addr = six;
    } else {
        return std::nullopt;
    }
    parsed.setPort(port);
    return parsed;
}

std::uint16_t SocketAddress::port() const
{
    return ntohs(family() == AF_INET ? m_place.four.sin_port : m_place.six.sin6_port);
}

void SocketAddress::setPort(std::uint16_t port)
{
    (family() == AF_INET ? m_place.four.sin_port : m_place.six.sin6_port) = htons(port);
}

} // namespace trainyard::agent
