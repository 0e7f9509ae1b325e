#pragma once

#include "app/base/text_table_model.h"
#include "app/plan/plan_comparison.h"

namespace trainyard {

// Plan and measurement as rows of text: the same in the window and in reports. The difference is that of the
// measured figure to the planned one, from twice as much on how many times as much; what is not known is an
// en dash.

/// Cause by cause, and the whole step at the end. Causes that take nothing on either side are left out.
TextTable stepTimeTable(const PlanComparison& comparison);
/// Throughput, utilisation of the devices' peak by the model's operations (MFU) and by those that the
/// hardware does (HFU), days and cost.
TextTable paceTable(const PlanComparison& comparison);
/// Every rank with its host.
TextTable rankMemoryTable(const QList<DeviceMemory>& ranks);
/// The sums over the ranks of every host.
TextTable hostMemoryTable(const QList<DeviceMemory>& ranks);
/// Category by category, and all of them at the end.
TextTable categoryMemoryTable(const DeviceMemory& rank);

} // namespace trainyard
