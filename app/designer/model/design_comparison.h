#pragma once

#include "app/base/text_table_model.h"
#include "app/plan/planned_design.h"

namespace trainyard {

/// Two designs figure by figure: those of planFigures(), with memory by category and time by cause, and the
/// change from the kept one to the present one.
TextTable comparedFigures(const PlannedDesign& kept, const PlannedDesign& present);

/// One row per field of the specification in which they differ.
TextTable comparedFields(const RunSpec& kept, const RunSpec& present);

} // namespace trainyard
