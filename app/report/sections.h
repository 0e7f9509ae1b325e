#pragma once

#include <vector>

#include "app/base/text_table_model.h"
#include "app/plan/plan_comparison.h"
#include "app/plan/scaling_table.h"
#include "app/report/report_document.h"
#include "app/runs/recorded_run.h"

namespace trainyard {

using Runs = std::vector<RecordedRun>;
using Plans = std::vector<PlanComparison>; ///< of each of the runs

// One section of a report each. A section without blocks is left out by the builder.
ReportSection summarySection(const Runs& runs);
ReportSection curvesSection(const Runs& runs);
ReportSection scalingSection(const Runs& runs);
/// Every rank of one run, by category.
ReportSection memorySection(const PlanComparison& plan);
/// The fullest rank of each of several runs.
ReportSection memoryOverview(const Runs& runs, const Plans& plans);
ReportSection stepTimeSection(const Runs& runs, const Plans& plans);
ReportSection stepTimeOverview(const Runs& runs, const Plans& plans);
ReportSection costSection(const Runs& runs, const Plans& plans);
ReportSection datasetSection(const Runs& runs);
/// Versions, hosts and devices, and what the hosts said before the launch.
ReportSection environmentSection(const Runs& runs);
ReportSection specificationSection(const Runs& runs);
ReportSection eventsSection(const Runs& runs);

/// The runs of one model on several numbers of ranks.
struct ScalingStudy {
    QString model; ///< modelWords()
    QList<ScalingRow> rows;
};
/// One for each model that ran on at least two of them.
std::vector<ScalingStudy> scalingStudies(const Runs& runs);

/// How a run is called among others: its name, with the end of its id when two have the same name.
QString labelOf(const RecordedRun& run, const Runs& runs);
QStringList labelsOf(const Runs& runs);
/// "bert-tiny", "bert of 4 x 256" where no preset was named.
QString modelWords(const ModelSpec& model);
int worldSizeOf(const RecordedRun& run);
ReportTable captioned(const QString& caption, const TextTable& table);
/// A name in our own words as text for a reader.
QString readable(std::string_view name);

} // namespace trainyard
