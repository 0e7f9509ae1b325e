#include "app/plan/measured_run.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "app/base/median.h"
#include "app/runs/recorded_run.h"
#include "app/runs/run_phase.h"
#include "engine/base/file.h"
#include "engine/spec/phases/batch_ramp.h"
#include "engine/spec/phases/phases.h"
#include "remote/target/data_dirs.h"

namespace trainyard {

namespace {

/// Of the newest attempt, from `first` to `last`, in order.
std::vector<double> stepSeconds(const StepTable& steps, std::int64_t first, std::int64_t last)
{
    std::vector<double> seconds;
    const std::int64_t begin = steps.isEmpty() ? 0 : std::max(first, steps.attempts().back().firstStep);
    for (qsizetype row = 0; row < steps.size(); ++row) {
        const double step = steps.column(StepColumn::Step)[row];
        if (step >= static_cast<double>(begin) && step <= static_cast<double>(last))
            seconds.push_back(steps.column(StepColumn::StepSeconds)[row]);
    }
    return seconds;
}

/// Before the batch has grown to its full size.
std::int64_t stepsOfRamp(const RunSpec& phase)
{
    std::int64_t steps = 0;
    for (const auto& [global, count] : BatchRamp(phase.batch).stretches(phase.launch.steps))
        steps += global < phase.batch.global ? count : 0;
    return steps;
}

struct MeasuredPhase {
    int number = 0;
    std::vector<double> seconds{}; ///< of its steps
};

/// The last one with enough steps, else the one with most.
MeasuredPhase measuredPhaseOf(const RunSpec& run, const StepTable& steps)
{
    MeasuredPhase most;
    for (int phase = phaseCount(run) - 1; phase >= 0; --phase) {
        const std::int64_t before = stepsBefore(run, phase);
        const RunSpec spec = specOfPhase(run, phase);
        MeasuredPhase here{phase,
                           stepSeconds(steps, before + stepsOfRamp(spec) + 1, before + spec.launch.steps)};
        if (here.seconds.size() >= kWarmUpSteps + kMinSteps)
            return here;
        if (here.seconds.size() >= most.seconds.size())
            most = std::move(here);
    }
    return most;
}

Result<MeasuredRow> rowOf(const RecordedRun& run)
{
    if (!run.facts.spec)
        return badInput("it is not a training run", "name a training run");
    MeasuredPhase measured = measuredPhaseOf(*run.facts.specNow(), run.series.steps());
    const RunFacts facts = factsOfPhase(run.facts, measured.number);
    if (!facts.dataSet)
        return badInput("the manifest of its data set is not available here",
                        "name a run that was launched from this computer");
    const std::size_t ranks = run.series.ranks().size();
    const int planned = facts.specNow()->layout.worldSize();
    std::vector<double>& seconds = measured.seconds;
    if (seconds.size() < kWarmUpSteps + kMinSteps)
        return badInput(fmt::format("{} steps are too few to measure the step time", seconds.size()),
                        fmt::format("name a run of at least {} steps", kWarmUpSteps + kMinSteps));
    if (ranks != static_cast<std::size_t>(planned))
        return badInput(fmt::format("its last steps ran on {} of {} ranks", ranks, planned),
                        "name a run that had all of its hosts");
    seconds.erase(seconds.begin(), seconds.begin() + kWarmUpSteps);
    return MeasuredRow{*facts.specNow(),
                       {facts.dataSet->sequenceLength, facts.dataSet->maxPredictions},
                       medianOf(std::move(seconds))};
}

} // namespace

Result<MeasuredRow> measuredRun(const QString& runId)
{
    if (!isPlainName(runId.toStdString()))
        return badInput("\"" + runId.toStdString() + "\" is not the name of a run");
    auto run = readRunFolder(QString::fromStdString(runDir(runId).string()));
    if (!run.ok())
        return run.error();
    auto row = rowOf(*run);
    if (!row.ok())
        return row.error().in("the run " + runId.toStdString());
    return row;
}

} // namespace trainyard
