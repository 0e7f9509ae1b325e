#pragma once

#include <nlohmann/json.hpp>

namespace trainyard::agent {

/// Returns the limits of this session: {nofile, nofile_hard, memlock, memlock_hard, processes, tasks,
/// tasks_used}; -1 = unlimited. `processes` is the user's limit (RLIMIT_NPROC); `tasks` the smallest limit of
/// the session's control groups, `tasks_used` their current number (0 where nobody counts). memlock is in
/// bytes.
nlohmann::json limitFacts();

} // namespace trainyard::agent
