#pragma once

#include <nlohmann/json.hpp>

namespace trainyard::agent {

/// What this session may use: {nofile, nofile_hard, memlock, memlock_hard, processes, tasks, tasks_used}; -1
/// = unlimited. `processes` is the user's limit (RLIMIT_NPROC); `tasks` the smallest limit of the control
/// groups that the session is in, with what they hold already (0 where nobody counts). memlock is in bytes.
nlohmann::json limitFacts();

} // namespace trainyard::agent
