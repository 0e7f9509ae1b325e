#include "remote/agent/supervise/device_wait.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "remote/agent/host/machine.h"
#include "remote/agent/supervise/elastic_world.h"
#include "remote/agent/supervise/job_command.h"

namespace trainyard::agent {

void DeviceWait::ask(const LaunchRequest& request, const RunWork& work, const std::string& rsh)
{
    if (!m_turn) {
        auto turn = LockFile::tryAcquire(m_folder.agentRoot() / "start.lock");
        if (turn.ok()) // without locks on this file system runs wait less well, but they begin
            m_turn = std::move(turn).value();
        m_isSecond = turn.ok() && !m_turn;
        if (m_isSecond)
            return;
    }
    LaunchRequest present = request;
    present.nodes = presentNodes(request);
    const std::vector<int> ranks = ranksOnNodes(present, work.ranks);
    m_probe.start({}, {}, {});
    m_probe.askHere(hostName(), freeCheckCommand(m_folder, work, request, ownProgram(), present.nodes.front(),
                                                 ranks.front()));
    for (std::size_t node = 1; node < ranks.size(); ++node)
        m_probe.askThere(
            present.nodes[node].host, rsh,
            freeCheckCommand(m_folder, work, request, ownProgram(), present.nodes[node], ranks[node]));
}

DeviceWait::Answer DeviceWait::answer() const
{
    if (m_isSecond)
        return Answer::InUse;
    if (!m_probe.silence().empty())
        return Answer::None;
    return m_probe.refusals().empty() ? Answer::Free : Answer::InUse;
}

std::string DeviceWait::reason() const
{
    if (m_isSecond)
        return "another run from this host is about to begin";
    if (const std::string silence = m_probe.silence(); !silence.empty())
        return silence;
    std::vector<std::string> sentences;
    for (const auto& [host, words] : m_probe.refusals())
        sentences.push_back(fmt::format("{}: {}", host, words));
    return fmt::format("{}", fmt::join(sentences, "; "));
}

} // namespace trainyard::agent
