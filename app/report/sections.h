#pragma once

#include <vector>

#include "app/models/plan_comparison.h"
#include "app/models/run_folder.h"
#include "app/report/report_document.h"

namespace trainyard {

using Runs = std::vector<RecordedRun>;
using Plans = std::vector<PlanComparison>; ///< of each of the runs

// One section of a report each. A section without blocks is left out by the builder.
ReportSection summarySection(const Runs& runs);
ReportSection specificationSection(const Runs& runs);
ReportSection hostsSection(const Runs& runs);
ReportSection datasetSection(const Runs& runs);
ReportSection curvesSection(const Runs& runs);
ReportSection memorySection(const Runs& runs, const Plans& plans);
ReportSection stepTimeSection(const Runs& runs, const Plans& plans);
ReportSection scalingSection(const Runs& runs);
ReportSection eventsSection(const Runs& runs);

/// How a run is called among others: its name, with the end of its id when two have the same name.
QString labelOf(const RecordedRun& run, const Runs& runs);

} // namespace trainyard
