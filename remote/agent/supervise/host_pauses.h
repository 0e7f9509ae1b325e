#pragma once

#include <chrono>
#include <map>
#include <string>
#include <vector>

namespace trainyard::agent {

/// Hosts that an elastic run leaves alone for a while, because with them it came to nothing; each time twice
/// as long, up to an hour. Pure: it is told the time.
class HostPauses {
public:
    using TimePoint = std::chrono::steady_clock::time_point;

    /// The first pause is twice `interval`, after which hosts are looked for anyway.
    explicit HostPauses(std::chrono::milliseconds interval) : m_interval(interval) {}

    void cameToNothing(const std::vector<std::string>& hosts, TimePoint now);
    void heldOut(const std::vector<std::string>& hosts);

    bool isPaused(const std::string& host, TimePoint now) const;
    /// How long the last pause of the host is, or was.
    std::chrono::milliseconds lengthOf(const std::string& host) const;

private:
    struct Pause {
        std::chrono::milliseconds length;
        TimePoint end;
    };
    std::chrono::milliseconds m_interval;
    std::map<std::string, Pause> m_pauses;
};

} // namespace trainyard::agent
