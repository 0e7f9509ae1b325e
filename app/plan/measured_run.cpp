#include "app/plan/measured_run.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "app/base/median.h"
#include "app/runs/recorded_run.h"
#include "app/runs/run_phase.h"
#include "engine/base/file.h"
#include "remote/target/data_dirs.h"

namespace trainyard {

namespace {

/// Of the newest attempt and phase, in order.
std::vector<double> stepSeconds(const StepTable& steps, const RunFacts& facts)
{
    std::vector<double> seconds;
    const std::int64_t attempt = steps.isEmpty() ? 0 : steps.attempts().back().firstStep;
    const std::int64_t first = std::max(attempt, facts.phase ? facts.phase->firstStep : 0);
    for (qsizetype row = 0; row < steps.size(); ++row) {
        if (steps.column(StepColumn::Step)[row] >= static_cast<double>(first))
            seconds.push_back(steps.column(StepColumn::StepSeconds)[row]);
    }
    return seconds;
}

Result<MeasuredRow> rowOf(const RecordedRun& run)
{
    if (!run.facts.spec)
        return badInput("it is not a training run", "name a training run");
    const RunFacts facts = factsNow(run.facts, run.series);
    if (!facts.dataSet)
        return badInput("the manifest of its data set is not available here",
                        "name a run that was launched from this computer");
    const std::size_t ranks = run.series.ranks().size();
    const int planned = facts.specNow()->layout.worldSize();
    std::vector<double> seconds = stepSeconds(run.series.steps(), facts);
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
