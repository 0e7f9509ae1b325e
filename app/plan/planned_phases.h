#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include <QString>

#include "app/base/text_table_model.h"
#include "app/plan/planned_run.h"

namespace trainyard {

/// Returns time and cost of phases that follow each other; the cost is 0, unknown, where that of one is.
TrainingEffort effortTogether(const std::vector<TrainingEffort>& phases);

/// The plans of a run's phases, in their order; a run without phases has one.
using PlannedPhases = std::vector<PlannedDesign>;

/// Returns the effort of all phases; nullopt where one has no time.
std::optional<TrainingEffort> effortOf(const PlannedPhases& phases);
/// Returns the number of the phase whose ranks need most memory; requires a phase.
std::size_t phaseOfMostMemory(const PlannedPhases& phases);

/// Returns one row per phase: name, steps, memory of the most loaded rank and, where all phases have a time,
/// time and, where prices are known, cost.
TextTable phaseTable(const PlannedPhases& phases);
/// "8 601 steps in all, 6.2 days, 12 345 USD; phase 2 needs most memory": of several phases; else empty.
QString phaseTotals(const PlannedPhases& phases);

} // namespace trainyard
