#pragma once

#include <cstddef>
#include <functional>

#include "engine/base/result.h"

namespace trainyard {

/// Calls task(i) for i = 0 .. count-1 on up to `threads` threads including the caller's, in the order of i.
/// After a failure no further task starts; returns the failure with the lowest number.
Status runTasks(int threads, std::size_t count, const std::function<Status(std::size_t)>& task);

/// Like runTasks(), starting at `first`, but starts no further task once pause() returns true; every thread
/// polls it before each task but its first. Returns the number of the first task that was not run; all tasks
/// before it are done.
Result<std::size_t> runTasksUntil(int threads, std::size_t first, std::size_t count,
                                  const std::function<Status(std::size_t)>& task,
                                  const std::function<bool()>& pause);

} // namespace trainyard
