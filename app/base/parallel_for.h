#pragma once

#include <cstddef>
#include <functional>

namespace trainyard {

/// Calls work(0) to work(count - 1), once each and in any order, on this thread and idle threads of the
/// global pool, and returns when all are done. Never waits for a busy thread, so it may be called on the GUI
/// thread and within the pool. Worthwhile from some microseconds of work on.
void parallelFor(std::size_t count, const std::function<void(std::size_t)>& work);

} // namespace trainyard
