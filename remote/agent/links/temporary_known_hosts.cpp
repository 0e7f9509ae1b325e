#include "remote/agent/links/temporary_known_hosts.h"

#include <atomic>
#include <unistd.h>

#include <fmt/format.h>

#include "remote/agent/host/ssh_command.h"

namespace trainyard::agent {

TemporaryKnownHosts::TemporaryKnownHosts(const std::filesystem::path& folder, const std::vector<std::string>& lines)
{
    static std::atomic<int> counter{0};
    if (lines.empty())
        return;
    m_file = folder / fmt::format(".known_hosts-{}-{}", ::getpid(), ++counter);
    if (writeKnownHosts(m_file, lines).ok())
        m_option = knownHostsOption(m_file);
}

TemporaryKnownHosts::~TemporaryKnownHosts()
{
    if (!m_file.empty())
        ::unlink(m_file.c_str());
}

} // namespace trainyard::agent
