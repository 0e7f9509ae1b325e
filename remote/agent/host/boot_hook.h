#pragma once

#include <filesystem>
#include <string>

#include "engine/base/process.h"
#include "engine/base/result.h"

namespace trainyard::agent {

/// Runs `trainyard-agent revive` for one agent's folder when the machine boots: one line of the user's
/// crontab, which stays the same across versions, calls the script `on-boot` in that folder. Leaves other
/// lines unchanged. Any process, but only one at a time per user.
class BootHook {
public:
    BootHook(std::filesystem::path agent, std::filesystem::path agentRoot, std::string crontab = "crontab");

    /// Writes the script, which passes `environment` on (cron gives little), and adds the crontab line.
    /// Failed when the machine has no crontab or denies this user one. Repeating it only rewrites the script.
    Status install(const Environment& environment) const;
    /// Removes the line from this machine's crontab, and a crontab that has no other; succeeds when there is
    /// none.
    Status removeLine() const;
    /// Removes the script, which the crontabs of other machines that share the folder call as well.
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
    std::string m_line; ///< empty = crontab cannot represent it
    std::string m_crontab;
};

} // namespace trainyard::agent
