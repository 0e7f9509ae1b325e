#pragma once

#include <optional>
#include <string>
#include <vector>

namespace trainyard::agent {

/// What logind does to the processes of a user who logs out.
struct LogoutRules {
    bool killsProcesses = false; ///< KillUserProcesses=yes: everything in the session's scope
    bool lingers = false;        ///< the user's own service manager stays, with what runs under it
};

/// Nothing where logind is not at work.
std::optional<LogoutRules> logoutRules();

/// The command that starts `arguments` where a logout does not reach it: in a scope of the user's own service
/// manager where logind would kill it in the session, and as it is everywhere else.
std::vector<std::string> outlivingLogout(std::vector<std::string> arguments);

} // namespace trainyard::agent
