#pragma once

namespace trainyard {

/// What `--help` says of exitStatus() (result.h); the same for every command of every program.
inline constexpr const char* kExitStatusText =
    "Exit status: 0 done, 2 bad input, 3 refused because it would not fit or work,\n"
    "4 a host could not be reached or prepared, 5 the run failed or the output was lost, 130 cancelled.";

} // namespace trainyard
