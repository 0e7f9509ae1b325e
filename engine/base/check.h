#pragma once

#include <string>

namespace trainyard {

/// We failed: a broken invariant. Prints where and what, then aborts; the supervisor reports the signal.
[[noreturn]] void checkFailed(const char* condition, const char* file, int line, const std::string& detail);

} // namespace trainyard

#define TRAINYARD_CHECK(condition)                                                                           \
    do {                                                                                                     \
        if (!(condition))                                                                                    \
            ::trainyard::checkFailed(#condition, __FILE__, __LINE__, {});                                    \
    } while (false)

#define TRAINYARD_CHECK_MSG(condition, detail)                                                               \
    do {                                                                                                     \
        if (!(condition))                                                                                    \
            ::trainyard::checkFailed(#condition, __FILE__, __LINE__, (detail));                              \
    } while (false)
