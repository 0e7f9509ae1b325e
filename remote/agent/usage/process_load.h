#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

#include "engine/base/units.h"
#include "remote/agent/host/process_table.h"

namespace trainyard::agent {

/// The use of processor and memory by one process, from /proc.
struct ProcessLoad {
    ProcessId id;
    uid_t owner = 0;
    std::string name;        ///< at most 15 bytes: "python3"
    std::uint64_t ticks = 0; ///< processor time since its start, in clock ticks
    int threads = 1;
    Bytes resident = 0; ///< memory, including what it shares with others
};

/// Parses /proc/PID/stat; nullopt for a zombie and for anything else. Does not set the owner.
std::optional<ProcessLoad> parseProcessLoad(pid_t pid, std::string_view stat, Bytes pageSize);

/// Returns the processes that /proc shows to us.
std::vector<ProcessLoad> processLoads();

/// Returns true where /proc hides the processes of other users (mount option hidepid).
bool hidesOthers(std::string_view mounts);

/// Returns the account's name, or "user 1004" where nobody knows one. Reads /etc/passwd and asks `getent`,
/// because a static program cannot load the system's name services.
std::string userNameOf(uid_t user);

} // namespace trainyard::agent
