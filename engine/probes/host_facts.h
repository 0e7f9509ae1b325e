#pragma once

#include <string>

#include "engine/base/units.h"

namespace trainyard {

/// The kernel's name for it; "processor" if unknown.
std::string processorName();
/// 0 if unknown.
Bytes physicalMemory();

} // namespace trainyard
