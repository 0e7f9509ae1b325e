#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "engine/base/file.h"
#include "engine/base/result.h"

namespace trainyard::agent {

/// A TCP port on one address of this machine, open while a preflight tries the links between hosts and never
/// else. It serves only who sends its token, sends nothing of this machine, and closes by itself.
///
/// A client sends one line, `<token> echo` or `<token> count`. After `echo` every byte comes back (1 KiB at
/// most); after `count` bytes are thrown away until the client closes its side, then their number comes, as
/// decimal digits and a newline. Whoever sends something else, or no line within 5 s, is closed at once.
class LinkPort {
public:
    static constexpr std::chrono::seconds kMaxLifetime{60};

    struct Visits {
        int served = 0;    ///< connections that had the token
        int strangers = 0; ///< connections that had not
    };

    /// Binds a port that the kernel chooses. BadInput when `address` is not an IPv4 address of this machine
    /// (0.0.0.0 is none) or the token is not 32 lower-case hex digits.
    static Result<std::shared_ptr<LinkPort>> open(const std::string& address, const std::string& token);

    std::uint16_t port() const { return m_port; }
    /// Serves until stop() or for `life` at most, then closes everything. Once, on any thread.
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
