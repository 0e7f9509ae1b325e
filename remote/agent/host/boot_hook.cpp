#include "remote/agent/host/boot_hook.h"

#include <sstream>

#include <fmt/format.h>

#include "engine/base/file.h"
#include "remote/agent/host/shell_words.h"

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
    : m_agent(std::move(agent))
    , m_root(std::move(agentRoot))
    , m_script(m_root / "on-boot")
    , m_crontab(std::move(crontab))
{
    if (mayStandInCrontab(m_script))
        m_line = fmt::format("@reboot /bin/sh '{}'", m_script.string());
}

Result<BootHook::Crontab> BootHook::read() const
{
    TRAINYARD_TRY(const CommandOutput listed, readCommand({m_crontab, "-l"}, kPatience));
    if (listed.status != 0)
        TRAINYARD_TRY_STATUS(checkHasNone());
    if (listed.text.size() > kLargest)
        return failed("the crontab is too long to edit");
    Crontab crontab;
    std::istringstream lines(listed.status == 0 ? listed.text : std::string());
    for (std::string line; std::getline(lines, line);) {
        if (line == m_line)
            crontab.hasOurs = true;
        else
            crontab.others += line + '\n';
    }
    return crontab;
}

/// When the crontab cannot be read: fine where that is because there is none.
Status BootHook::checkHasNone() const
{
    TRAINYARD_TRY(const CommandOutput said, runCommand({m_crontab, "-l"}, kPatience));
    return said.text.find("no crontab") != std::string::npos
               ? Status()
               : failed("crontab -l reported: " + said.text.substr(0, 200));
}

Status BootHook::replace(const std::string& content) const
{
    // The user had no crontab before; some implementations cannot remove one and get an empty one.
    if (content.empty()) {
        if (const auto removed = runCommand({m_crontab, "-r"}, kPatience);
            removed.ok() && removed->status == 0)
            return {};
    }
    const std::filesystem::path scratch = m_root / ".crontab";
    TRAINYARD_TRY_STATUS(writeFileAtomically(scratch, content));
    const auto replaced = runCommand({m_crontab, scratch}, kPatience);
    std::error_code ignored;
    std::filesystem::remove(scratch, ignored);
    if (!replaced.ok())
        return replaced.error();
    return replaced->status == 0 ? Status() : failed("crontab reported: " + replaced->text.substr(0, 200));
}

std::string BootHook::script(const Environment& environment) const
{
    std::string text = "#!/bin/sh\n";
    for (const std::string& entry : environment) {
        const auto equals = entry.find('=');
        text +=
            fmt::format("export {}={}\n", entry.substr(0, equals), quotedForShell(entry.substr(equals + 1)));
    }
    return text + fmt::format("exec {} revive --root {}\n", quotedForShell(m_agent.string()),
                              quotedForShell(m_root.string()));
}

Status BootHook::install(const Environment& environment) const
{
    if (m_line.empty())
        return failed("the agent's path contains a character that crontab cannot represent");
    TRAINYARD_TRY(const Crontab present, read());
    TRAINYARD_TRY_STATUS(writeFileAtomically(m_script, script(environment)));
    return present.hasOurs ? Status() : replace(present.others + m_line + '\n');
}

Status BootHook::removeLine() const
{
    if (m_line.empty())
        return {};
    TRAINYARD_TRY(const Crontab present, read());
    return present.hasOurs ? replace(present.others) : Status();
}

void BootHook::removeScript() const
{
    std::error_code ignored;
    std::filesystem::remove(m_script, ignored);
}

} // namespace trainyard::agent
