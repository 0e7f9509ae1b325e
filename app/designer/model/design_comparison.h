#pragma once

#include "app/base/text_table_model.h"
#include "app/plan/planned_run.h"

namespace trainyard {

/// Compares two designs metric by metric: those of planMetrics(), with memory by category and time by cause,
/// and the change from the kept to the current one.
TextTable comparedFigures(const PlannedDesign& kept, const PlannedDesign& present);

/// Returns one row per differing field of the specification.
TextTable comparedFields(const RunSpec& kept, const RunSpec& present);

} // namespace trainyard
