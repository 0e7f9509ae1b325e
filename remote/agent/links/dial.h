#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace trainyard::agent {

/// A LinkPort of another host.
struct LinkPeer {
    std::string address; ///< IPv4 or IPv6
    std::uint16_t port = 0;
    std::string token;
};

/// The result of one connection.
struct LinkTrial {
    std::string error;         ///< empty = the port answered: "refused", "no answer within 3 s", …
    double latencyMs = 0;      ///< smallest of some round trips of one byte
    double bytesPerSecond = 0; ///< of streamTo(); 0 = not measured
};

/// Connects to all peers at once and returns after at most `patience`: one trial per peer, in order. Any
/// thread.
std::vector<LinkTrial> dialAll(const std::vector<LinkPeer>& peers, std::chrono::milliseconds patience);

/// Sends to the peer for `duration` as fast as it accepts data; takes at most `patience` longer. Any thread.
LinkTrial streamTo(const LinkPeer& peer, std::chrono::milliseconds duration,
                   std::chrono::milliseconds patience);

} // namespace trainyard::agent
