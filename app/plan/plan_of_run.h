#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/plan/planned_run.h"
#include "engine/records/record.h"

namespace trainyard {

class HardwareLibrary;
struct RunFacts;

/// Planned peak memory of every rank, for the layout of the run's newest attempt and the rows of its data
/// set; index = rank. Empty if one of the two is unknown here.
std::vector<MemoryByCategory> plannedMemory(const RunFacts& facts);

/// The complete plan of a run in the layout of its newest attempt, with the memory found on its hosts at the
/// start. `hardware` applies to nodes without hardware in the specification; empty = unknown. BadInput, with
/// the reason, if specification or data set are unknown here.
Result<PlannedRun> planOf(const RunFacts& facts, const HardwareLibrary& library,
                          const std::string& hardware = {});

} // namespace trainyard
