#pragma once

#include <filesystem>
#include <string>

#include "engine/base/result.h"
#include "remote/agent/host/process.h"

namespace trainyard::agent {

/// Runs `trainyard-agent revive` for one agent's folder when the machine has started: a line of the user's
/// crontab, which stays the same from version to version, calls the script `on-boot` in that folder. Other
/// lines are left as they are. Any process; not two at once for one user.
class BootHook {
public:
    BootHook(std::filesystem::path agent, std::filesystem::path agentRoot, std::string crontab = "crontab");

    /// Has it called with `environment` beside the little that cron gives. Failed where the machine has no
    /// crontab, or does not let this user have one. Again changes nothing but the script.
    Status install(const Environment& environment) const;
    /// The line of this machine's crontab; fine when it was not there.
    Status removeLine() const;
    /// What the lines call, also those of other machines that share the folder.
    void removeScript() const;

private:
    struct Crontab {
        std::string others; ///< lines that are not ours
        bool hasOurs = false;
    };
    Result<Crontab> read() const;
    Status checkHasNone() const;
    Status replace(const std::string& content) const;
    std::string script(const Environment& environment) const;

    std::filesystem::path m_agent;
    std::filesystem::path m_root;
    std::filesystem::path m_script;
    std::string m_line; ///< empty = no crontab can hold it
    std::string m_crontab;
};

} // namespace trainyard::agent
