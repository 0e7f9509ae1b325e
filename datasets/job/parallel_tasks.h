#pragma once

#include <cstddef>
#include <functional>

#include "engine/base/result.h"

namespace trainyard {

/// Calls task(i) for i = 0 .. count-1 on up to `threads` threads, the caller's among them, in the order of i.
/// After a failure no further task begins; the failure with the lowest number is returned.
Status runTasks(int threads, std::size_t count, const std::function<Status(std::size_t)>& task);

/// As above, from `first` on, but begins no further task once pause() says so: any thread asks it before
/// each task but its first. Returns the number of the first task that was not run; all before it are done.
Result<std::size_t> runTasksUntil(int threads, std::size_t first, std::size_t count,
                                  const std::function<Status(std::size_t)>& task,
                                  const std::function<bool()>& pause);

} // namespace trainyard
