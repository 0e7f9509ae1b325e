#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include <QList>
#include <QString>

#include "app/base/text_table_model.h"
#include "app/plan/device_memory.h"
#include "app/plan/planned_run.h"
#include "engine/planner/time/common_causes.h"
#include "engine/records/record.h"

namespace trainyard {

class HardwareLibrary;
class RunSeries;
class StepTable;
struct RunFacts;

// What follows looks at one phase: for a run of several, pass factsNow() or factsOfPhase() (run_phase.h).

/// Planned peak memory of every rank, for the layout of the run's newest attempt and the rows of its data
/// set; index = rank. Empty if one of the two is unknown here.
std::vector<MemoryByCategory> plannedMemory(const RunFacts& facts);

/// The complete plan of a run in the layout of its newest attempt, with the memory found on its hosts at the
/// start. `hardware` applies to nodes without hardware in the specification; empty = unknown. BadInput, with
/// the reason, if specification or data set are unknown here.
Result<PlannedRun> planOf(const RunFacts& facts, const HardwareLibrary& library,
                          const std::string& hardware = {});

/// Step time and the values that follow from it. Unknown values are NaN.
struct RunPace {
    static constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

    double stepSeconds = kUnknown;
    TimeByCommonCause byCause{}; ///< seconds, of the rank that works longest
    double sequencesPerSecond = kUnknown;
    double tokensPerDay = kUnknown; ///< padding counts
    double modelUtilization = kUnknown;
    double hardwareUtilization = kUnknown;
    double days = kUnknown; ///< for all steps of the run or phase
    double cost = kUnknown; ///< of all steps, in PlanComparison::currency
};

/// Plan and measurement of a run, in the layout of its newest attempt.
struct PlanComparison {
    QList<DeviceMemory> memory;      ///< by rank
    std::optional<RunPace> planned;  ///< nothing: whyNoTime
    std::optional<RunPace> measured; ///< nothing before the first step
    QString hardware;                ///< for which the time was planned
    QString currency;                ///< of cost
    QString priceDate;
    std::optional<TimeBand> band; ///< that the step was expected in; nothing where hosts were not calibrated
    QString calibrated;           ///< the date of that calibration
    QString layoutChange;         ///< a sentence, where that is not the layout of the launch; else empty
    QString whyNoTime;            ///< a sentence with what to do; empty when there is a plan
    QString phase{};              ///< its title, of a run of several; else empty
};

/// `plan`: planOf() of the run.
PlanComparison comparePlan(const RunFacts& facts, const RunSeries& series, const Result<PlannedRun>& plan);

/// Steps of a run by their numbers, both included.
struct StepSpan {
    std::int64_t first = 1;
    std::int64_t last = std::numeric_limits<std::int64_t>::max();
};

/// Seconds, causes and throughput of a typical step: the mean over the middle half, by time, of the newest 50
/// steps of the newest attempt within the span; robust against start-up and single slow steps. Nullopt if
/// there is no step.
std::optional<RunPace> usualStep(const StepTable& steps, const StepSpan& span = {});

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
