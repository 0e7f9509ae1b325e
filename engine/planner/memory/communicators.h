#pragma once

#include "engine/base/units.h"
#include "engine/spec/run_spec.h"

namespace trainyard {

/// What a rank's NCCL communicators take of its device's memory: one for each group of several ranks and for
/// each link of a pipeline (comm/process_groups.h), none on processors. An estimate, as NCCL chooses the
/// channels of collectives by the machine: 16 are assumed here; messages have 4 at most. Every channel has,
/// in a ring and in a tree, a buffer of each protocol for what it receives (NCCL 2.28: src/include/device.h,
/// src/init.cc), and for messages another one of 4 MiB.
Bytes communicatorMemory(const ParallelLayout& layout, DeviceKind device, int pipelineRank);

} // namespace trainyard
