#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/plan/planned_run.h"
#include "engine/records/record.h"

namespace trainyard {

class HardwareLibrary;
struct RunFacts;

/// Memory of every rank at its peak, as planned for the layout of the run's newest attempt and the rows of
/// its data set; index = rank. Empty when one of the two is not known here.
std::vector<MemoryByCategory> plannedMemory(const RunFacts& facts);

/// The whole plan of a run in the layout of its newest attempt, with the memory that was found on its hosts
/// when it started. `hardware` names what nodes are of which the specification does not say it; empty = that
/// stays unknown. BadInput when specification or data set are not known here, with the reason.
Result<PlannedRun> planOf(const RunFacts& facts, const HardwareLibrary& library,
                          const std::string& hardware = {});

} // namespace trainyard
