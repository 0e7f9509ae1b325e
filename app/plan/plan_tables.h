#pragma once

#include "app/base/text_table_model.h"
#include "app/plan/plan_comparison.h"

namespace trainyard {

// Plan and measurement as rows of text, for the window and for reports. Differences are measured relative to
// planned, as a factor from twice on; unknown values are en dashes.

/// One row per cause, then the whole step. Skips causes that take no time on either side.
TextTable stepTimeTable(const PlanComparison& comparison);
/// Throughput, utilisation of the devices' peak by the model's operations (MFU) and by those that the
/// hardware does (HFU), days and cost.
TextTable paceTable(const PlanComparison& comparison);
/// One row per rank, with its host.
TextTable rankMemoryTable(const QList<DeviceMemory>& ranks);
/// One row per host, summed over its ranks.
TextTable hostMemoryTable(const QList<DeviceMemory>& ranks);
/// One row per category, then the total.
TextTable categoryMemoryTable(const DeviceMemory& rank);

} // namespace trainyard
