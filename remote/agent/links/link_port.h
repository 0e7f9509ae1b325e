#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "engine/base/file.h"
#include "engine/base/result.h"

namespace trainyard::agent {

/// A TCP port on one address of this machine, open only while a preflight tests the links between hosts.
/// Serves only clients that send its token, reveals no data of this machine, and closes by itself.
///
/// A client sends one line, `<token> echo` or `<token> count`. After `echo` every byte is sent back (at most
/// 1 KiB); after `count` bytes are discarded until the client closes its side, and then their number follows
/// as decimal digits and a newline. Any other line, or none within 5 s, closes the connection.
class LinkPort {
public:
    static constexpr std::chrono::seconds kMaxLifetime{60};

    struct Visits {
        int served = 0;    ///< connections that had the token
        int strangers = 0; ///< connections that had not
    };

    /// The ports that may be taken; 0 = the kernel chooses one.
    struct Ports {
        std::uint16_t first = 0;
        std::uint16_t last = 0;
    };
    /// Binds a free port. BadInput when `address` is not an IPv4 or IPv6 address of this machine (0.0.0.0 and
    /// :: are none) or the token is not 32 lower-case hex digits; Failed when all of the ports are taken.
    static Result<std::shared_ptr<LinkPort>> open(const std::string& address, const std::string& token,
                                                  Ports ports);
    static Result<std::shared_ptr<LinkPort>> open(const std::string& address, const std::string& token)
    {
        return open(address, token, {});
    }

    std::uint16_t port() const { return m_port; }
    /// Serves until stop() or for at most `life`, then closes everything. Call once, on any thread.
    Visits serve(std::chrono::milliseconds life);
    /// Any thread.
    void stop();

private:
    LinkPort(FileDescriptor socket, FileDescriptor wake, std::uint16_t port, std::string token);

    FileDescriptor m_socket;
    FileDescriptor m_wake;
    std::uint16_t m_port;
    std::string m_token;
};

} // namespace trainyard::agent
