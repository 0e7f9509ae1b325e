#pragma once

#include "engine/base/units.h"
#include "engine/records/record.h"

namespace trainyard {

/// What a rank needs at the peak of a step.
struct RankNeed {
    Bytes onDevice = 0;
    Bytes onHost = 0;
};

RankNeed needOf(const MemoryByCategory& bytes);

} // namespace trainyard
