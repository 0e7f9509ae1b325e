#pragma once

#include <vector>

#include "app/base/text_table_model.h"
#include "app/plan/plan_comparison.h"
#include "app/plan/scaling_table.h"
#include "app/report/report_document.h"
#include "app/runs/recorded_run.h"

namespace trainyard {

using Runs = std::vector<RecordedRun>;
using Plans = std::vector<PlanComparison>; ///< of each of the runs, in its present phase
using PhasePlans = std::vector<Plans>;     ///< of each of the runs those of its phases; one without phases

// Each function builds one section. The builder omits sections without blocks.
ReportSection summarySection(const Runs& runs);
ReportSection curvesSection(const Runs& runs);
/// Returns held-out loss and metrics, and the time, tokens and cost to the target.
ReportSection heldOutSection(const Runs& runs, const Plans& plans);
ReportSection scalingSection(const Runs& runs);
/// Returns the memory of every rank of one run, by category.
ReportSection memorySection(const PlanComparison& plan);
/// Returns the memory of the fullest rank of each run.
ReportSection memoryOverview(const Runs& runs, const Plans& plans);
ReportSection stepTimeSection(const Runs& runs, const Plans& plans);
ReportSection stepTimeOverview(const Runs& runs, const Plans& plans);
/// Returns plan, measurement and cost of each phase of the runs that have some.
ReportSection phasesSection(const Runs& runs, const PhasePlans& phases);
ReportSection costSection(const Runs& runs, const PhasePlans& phases);
ReportSection datasetSection(const Runs& runs);
/// Returns versions, hosts and devices, and the preflight findings.
ReportSection environmentSection(const Runs& runs);
/// Returns the settings in which the runs differ, then those that are set to other than their default.
ReportSection settingsSection(const Runs& runs);
/// Returns the settings that all runs leave at their default, folded.
ReportSection defaultsSection(const Runs& runs);
ReportSection eventsSection(const Runs& runs);

/// The runs of one model on several world sizes.
struct ScalingStudy {
    QString model; ///< modelWords()
    QList<ScalingRow> rows;
};
/// Returns a study for each model that ran on at least two world sizes.
std::vector<ScalingStudy> scalingStudies(const Runs& runs);

/// Returns the run's name, with the end of its id when two runs share it.
QString labelOf(const RecordedRun& run, const Runs& runs);
QStringList labelsOf(const Runs& runs);
/// Names the model: "bert-tiny", or "bert of 4 x 256" without a preset.
QString modelWords(const ModelSpec& model);
int worldSizeOf(const RecordedRun& run);

/// Returns the cost of all phases, in the currency of their plans; NaN where no price is known.
double plannedCost(const Plans& phases);
/// The same at the measured pace; phases without a measured step count as planned. NaN without any step.
double measuredCost(const Plans& phases);
/// Returns the borders of the phases of a run, over steps, with their names; empty without phases.
QList<ReportMark> phaseMarks(const RecordedRun& run);
ReportTable captioned(const QString& caption, const TextTable& table);

} // namespace trainyard
