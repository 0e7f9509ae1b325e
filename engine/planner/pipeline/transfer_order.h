#pragma once

#include <vector>

#include "engine/planner/pipeline/pipeline_schedule.h"

namespace trainyard {

/// The lists with a send behind every pass whose result another rank needs, and the receives of those
/// results. Requires lists of passes, reductions and steps that end when transfers cost nothing.
///
/// Where the transfers go: the lists are timed once (forward 1, backward 2, halves of it 1), and each
/// transfer takes place, on both ranks, at the moment its result is ready. So all actions of all ranks have
/// one order in common, which each list follows; then no send can wait for a receive that waits for that
/// send, not even when sends block. (Sends right behind, and receives right before their passes deadlock
/// under 1F1B when sends block: neighbours send to each other at the same time.)
PipelineSchedule withTransfers(const PipelineShape& shape, const std::vector<ActionList>& lists);

/// Every receive right before its pass, every send right behind. Under TransferMode::Overlapped that takes
/// exactly as long, for there only the place of a send between passes counts, and withTransfers() keeps it.
PipelineSchedule withNearestTransfers(const PipelineShape& shape, const std::vector<ActionList>& lists);

} // namespace trainyard
