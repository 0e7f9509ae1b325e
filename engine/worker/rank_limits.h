#pragma once

namespace trainyard {

/// Raises this process's soft limits of open files and of processes to the hard ones: a rank has files for
/// every other rank, and many systems set the soft limit of files to 1024. Limits that cannot be raised stay.
void raiseRankLimits();

} // namespace trainyard
