#include "remote/agent/supervise/host_pauses.h"

#include <algorithm>

namespace trainyard::agent {

namespace {

constexpr std::chrono::hours kLongest{1};

} // namespace

std::chrono::milliseconds HostPauses::lengthOf(const std::string& host) const
{
    const auto found = m_pauses.find(host);
    return found == m_pauses.end() ? m_interval : found->second.length;
}

void HostPauses::pause(const std::vector<std::string>& hosts, TimePoint now)
{
    for (const std::string& host : hosts) {
        const auto length = std::min<std::chrono::milliseconds>(2 * lengthOf(host), kLongest);
        m_pauses[host] = {length, now + length};
    }
}

void HostPauses::succeeded(const std::vector<std::string>& hosts)
{
    for (const std::string& host : hosts)
        m_pauses.erase(host);
}

bool HostPauses::isPaused(const std::string& host, TimePoint now) const
{
    const auto found = m_pauses.find(host);
    return found != m_pauses.end() && now < found->second.end;
}

} // namespace trainyard::agent
