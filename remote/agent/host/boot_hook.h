#pragma once

#include <filesystem>
#include <string>

#include "engine/base/result.h"

namespace trainyard::agent {

/// A line of the user's crontab that runs `trainyard-agent revive` for one agent's folder when the machine
/// has started. Other lines are left as they are. Any process; not two at once for one user.
class BootHook {
public:
    BootHook(std::filesystem::path agent, std::filesystem::path agentRoot, std::string crontab = "crontab");

    /// Failed where the machine has no crontab, or does not let this user have one. Again changes nothing.
    Status install() const;
    /// Fine when it was not there.
    Status remove() const;

private:
    Result<std::string> otherLines() const;
    Status replace(const std::string& content) const;

    std::string m_line;
    std::filesystem::path m_scratch; ///< what the new crontab is read from
    std::string m_crontab;
};

} // namespace trainyard::agent
