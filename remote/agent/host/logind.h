#pragma once

#include <optional>
#include <string>
#include <vector>

namespace trainyard::agent {

/// How logind treats the processes of a user who logs out.
struct LogoutRules {
    bool killsProcesses = false; ///< KillUserProcesses=yes: everything in the session's scope
    bool lingers = false;        ///< the user's own service manager stays, with what runs under it
};

/// Returns nullopt where logind does not run.
std::optional<LogoutRules> logoutRules();

/// Returns the command that starts `arguments` so that it survives a logout: in a scope of the user's service
/// manager where logind would kill the session's processes, unchanged everywhere else.
std::vector<std::string> outlivingLogout(std::vector<std::string> arguments);

} // namespace trainyard::agent
