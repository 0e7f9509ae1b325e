#pragma once

#include <string>

#include "engine/base/units.h"

namespace trainyard {

/// As the kernel calls it; "processor" where it does not tell.
std::string processorName();
/// 0 where the system does not tell.
Bytes physicalMemory();

} // namespace trainyard
