#include "remote/agent/supervise/node_probe.h"

#include <algorithm>
#include <csignal>
#include <sstream>
#include <sys/wait.h>

#include "remote/agent/host/process.h"

namespace trainyard::agent {

namespace {

constexpr std::chrono::seconds kPatience{15};

pid_t tryToReach(const std::string& host, const std::string& rsh)
{
    ProcessSpec spec;
    std::istringstream words(rsh);
    for (std::string word; words >> word;)
        spec.arguments.push_back(word);
    spec.arguments.insert(spec.arguments.end(), {host, "true"});
    spec.environment = environmentWithout({});
    spec.endsWithParent = true;
    const auto child = startProcess(spec);
    return child.ok() ? *child : 0;
}

} // namespace

void NodeProbe::start(const std::vector<std::string>& hosts, const std::string& rsh)
{
    m_attempts.clear();
    for (const std::string& host : hosts)
        m_attempts.push_back({host, tryToReach(host, rsh), false});
    m_deadline = std::chrono::steady_clock::now() + kPatience;
    m_underWay = true;
}

void NodeProbe::childEnded(pid_t child, int waitStatus)
{
    for (Attempt& attempt : m_attempts) {
        if (attempt.child != child)
            continue;
        attempt.child = 0;
        attempt.answered = WIFEXITED(waitStatus) && WEXITSTATUS(waitStatus) == 0;
    }
}

bool NodeProbe::isOver()
{
    const bool waits =
        std::ranges::any_of(m_attempts, [](const Attempt& attempt) { return attempt.child > 0; });
    if (waits && std::chrono::steady_clock::now() < m_deadline)
        return false;
    for (Attempt& attempt : m_attempts) {
        if (attempt.child > 0)
            ::kill(-std::exchange(attempt.child, 0), SIGKILL);
    }
    m_underWay = false;
    return true;
}

std::vector<std::string> NodeProbe::hostsThat(bool answered) const
{
    std::vector<std::string> hosts;
    for (const Attempt& attempt : m_attempts) {
        if (attempt.answered == answered)
            hosts.push_back(attempt.host);
    }
    return hosts;
}

std::vector<std::string> NodeProbe::answered() const
{
    return hostsThat(true);
}

std::vector<std::string> NodeProbe::silent() const
{
    return hostsThat(false);
}

} // namespace trainyard::agent
