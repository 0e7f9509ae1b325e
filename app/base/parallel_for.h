#pragma once

#include <cstddef>
#include <functional>

namespace trainyard {

/// Does work(0) to work(count - 1), each once and in any order, in this thread and in those of the global
/// pool that have nothing to do, and returns when all of it is done. It never waits for a busy thread, so it
/// may be called from the GUI thread and within the pool; what it is worth sharing takes some microseconds.
void parallelFor(std::size_t count, const std::function<void(std::size_t)>& work);

} // namespace trainyard
