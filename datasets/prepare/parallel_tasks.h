#pragma once

#include <cstddef>
#include <functional>

#include "engine/base/result.h"

namespace trainyard {

/// Runs task(0) ... task(count - 1) on up to `threads` threads, lowest numbers first. After a failure no new
/// task starts; of several failures the one with the lowest number is returned, so that the message does not
/// depend on the threads' luck.
Status runTasks(int threads, std::size_t count, const std::function<Status(std::size_t)>& task);

} // namespace trainyard
