#include "remote/agent/host/boot_hook.h"

#include <sstream>

#include <fmt/format.h>

#include "engine/base/file.h"
#include "remote/agent/host/process.h"

namespace trainyard::agent {

namespace {

constexpr std::chrono::seconds kPatience{10};
constexpr std::size_t kLargest = 128 * 1024; ///< a crontab beyond this may have been cut while it was read

/// cron gives the line to a shell, and takes '%' for a line's end.
bool mayStandInCrontab(const std::filesystem::path& path)
{
    return path.string().find_first_of("'%\n\\") == std::string::npos;
}

} // namespace

BootHook::BootHook(std::filesystem::path agent, std::filesystem::path agentRoot, std::string crontab)
    : m_scratch(agentRoot / ".crontab"), m_crontab(std::move(crontab))
{
    if (mayStandInCrontab(agent) && mayStandInCrontab(agentRoot))
        m_line = fmt::format("@reboot '{}' revive --root '{}'", agent.string(), agentRoot.string());
}

/// The crontab without our line.
Result<std::string> BootHook::otherLines() const
{
    TRAINYARD_TRY(const CommandOutput listed, runCommand({m_crontab, "-l"}, kPatience));
    if (listed.status != 0 && listed.text.find("no crontab") == std::string::npos)
        return failed("crontab -l said: " + listed.text.substr(0, 200));
    if (listed.text.size() > kLargest)
        return failed("the crontab is too long to be changed");
    std::string others;
    std::istringstream lines(listed.status == 0 ? listed.text : std::string());
    for (std::string line; std::getline(lines, line);) {
        if (line != m_line)
            others += line + '\n';
    }
    return others;
}

Status BootHook::replace(const std::string& content) const
{
    TRAINYARD_TRY_STATUS(writeFileAtomically(m_scratch, content));
    const auto replaced = runCommand({m_crontab, m_scratch}, kPatience);
    std::error_code ignored;
    std::filesystem::remove(m_scratch, ignored);
    if (!replaced.ok())
        return replaced.error();
    return replaced->status == 0 ? Status() : failed("crontab said: " + replaced->text.substr(0, 200));
}

Status BootHook::install() const
{
    if (m_line.empty())
        return failed("the agent's folder has a sign in its path that no crontab can hold");
    TRAINYARD_TRY(const std::string others, otherLines());
    return replace(others + m_line + '\n');
}

Status BootHook::remove() const
{
    if (m_line.empty())
        return {};
    TRAINYARD_TRY(const std::string others, otherLines());
    return replace(others);
}

} // namespace trainyard::agent
