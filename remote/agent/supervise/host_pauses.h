#pragma once

#include <chrono>
#include <map>
#include <string>
#include <vector>

namespace trainyard::agent {

/// Hosts that an elastic run does not retry for a while, because an attempt with them failed; each pause is
/// twice as long as the last, up to an hour. The caller passes the time.
class HostPauses {
public:
    using TimePoint = std::chrono::steady_clock::time_point;

    /// The first pause is twice `interval`, the usual time between searches for hosts.
    explicit HostPauses(std::chrono::milliseconds interval) : m_interval(interval) {}

    /// Starts a pause after an attempt with these hosts failed.
    void pause(const std::vector<std::string>& hosts, TimePoint now);
    /// Forgets their pauses, because an attempt with them brought a checkpoint.
    void succeeded(const std::vector<std::string>& hosts);

    bool isPaused(const std::string& host, TimePoint now) const;
    /// Returns the length of the host's current or last pause.
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
