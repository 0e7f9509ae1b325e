#include "engine/base/check.h"

#include <cstdio>
#include <cstdlib>

namespace trainyard {

void checkFailed(const char* condition, const char* file, int line, const std::string& detail)
{
    std::fprintf(stderr, "%s:%d: broken invariant: %s%s%s\n", file, line, condition,
                 detail.empty() ? "" : ": ", detail.c_str());
    std::abort();
}

} // namespace trainyard
