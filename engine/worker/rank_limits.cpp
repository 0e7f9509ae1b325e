#include "engine/worker/rank_limits.h"

#include <algorithm>
#include <sys/resource.h>

namespace trainyard {

namespace {

constexpr rlim_t kMaxFiles = 1 << 20; ///< some libraries have a table of all

} // namespace

void raiseRankLimits()
{
    rlimit limit{};
    if (::getrlimit(RLIMIT_NOFILE, &limit) == 0) {
        limit.rlim_cur = std::max(limit.rlim_cur, std::min(limit.rlim_max, kMaxFiles));
        ::setrlimit(RLIMIT_NOFILE, &limit);
    }
    if (::getrlimit(RLIMIT_NPROC, &limit) == 0) {
        limit.rlim_cur = limit.rlim_max;
        ::setrlimit(RLIMIT_NPROC, &limit);
    }
}

} // namespace trainyard
