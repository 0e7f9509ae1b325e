#include "app/monitor/model/next_checkpoint.h"

#include <algorithm>
#include <cmath>

#include "app/base/median.h"
#include "app/runs/recorded_run.h"
#include "engine/planner/learning_rate_schedule.h"
#include "engine/spec/phases/phases.h"

namespace trainyard {

namespace {

constexpr qsizetype kPace = 50; ///< newest steps that tell how long one takes

double usualStepSeconds(const StepTable& steps)
{
    const SeriesColumn& all = steps.column(StepColumn::StepSeconds);
    return medianOf({all.end() - std::min(kPace, all.size()), all.end()});
}

} // namespace

std::optional<NextCheckpoint> nextCheckpoint(const RunFacts& facts, const RunSeries& series)
{
    const bool goesOn = series.status().state == RunState::Running && !series.steps().isEmpty();
    if (!goesOn || !facts.spec)
        return std::nullopt;
    const auto now = static_cast<std::int64_t>(series.steps().last(StepColumn::Step));
    // The end of a phase has one, too.
    const int phase = phaseOfStep(*facts.spec, now + 1);
    const std::int64_t last = stepsBefore(*facts.spec, phase) + specOfPhase(*facts.spec, phase).launch.steps;
    const std::int64_t every =
        facts.spec->checkpoint.everySteps > 0 ? facts.spec->checkpoint.everySteps : last;
    const std::int64_t step = std::min(last, (now / every + 1) * every);
    const double pace = usualStepSeconds(series.steps());
    if (step <= now || !std::isfinite(pace))
        return std::nullopt;
    return NextCheckpoint{step, static_cast<double>(step - now) * pace};
}

std::int64_t newestCheckpoint(const RunSeries& series)
{
    std::int64_t newest = 0;
    for (const RunEvent& event : series.events()) {
        if (event.event.kind == "checkpoint-published")
            newest = std::max(newest, event.event.step);
    }
    return newest;
}

double peakLearningRate(const RunFacts& facts, const RunSeries& series)
{
    if (!facts.spec)
        return 0;
    const StepTable& steps = series.steps();
    const auto step = steps.isEmpty() ? 1 : static_cast<std::int64_t>(steps.last(StepColumn::Step));
    const int phase = phaseOfStep(*facts.spec, step);
    const RunSpec spec = specOfPhase(*facts.spec, phase);
    const OptimizerSpec& optimizer = spec.optimizer;
    if (steps.isEmpty())
        return optimizer.learningRate;
    // Every schedule is proportional to its peak rate, so the peak follows from the current rate.
    const LearningRateSchedule schedule(optimizer, spec.launch.steps);
    const double planned = schedule.at(step - stepsBefore(*facts.spec, phase));
    const double ratio = steps.last(StepColumn::LearningRate) / planned;
    return std::isfinite(ratio) && ratio > 0 ? ratio * optimizer.learningRate : optimizer.learningRate;
}

} // namespace trainyard
