#pragma once

#include "engine/base/units.h"

namespace trainyard {

/// Memory of this process as the kernel counts it; 0 where /proc cannot be read.
Bytes residentSetBytes();

} // namespace trainyard
