#pragma once

#include <cstdint>
#include <functional>

#include "engine/base/result.h"

namespace trainyard {

/// Told after each piece of work how many documents or rows it had; an error ends the work.
using PieceDone = std::function<Status(std::uint64_t count)>;

} // namespace trainyard
