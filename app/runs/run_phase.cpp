#include "app/runs/run_phase.h"

#include <algorithm>
#include <cmath>

#include <QObject>

#include "app/base/display_text.h"
#include "app/base/phase_label.h"
#include "app/runs/step_table.h"
#include "engine/spec/phases/phases.h"

namespace trainyard {

namespace {

std::int64_t newestStep(const RunSeries& series)
{
    return series.steps().isEmpty() ? 0 : static_cast<std::int64_t>(series.steps().last(StepColumn::Step));
}

bool hasPhases(const RunFacts& facts)
{
    return facts.spec && !facts.spec->phases.empty();
}

} // namespace

int phaseNow(const RunFacts& facts, const RunSeries& series)
{
    return facts.spec ? phaseOfStep(*facts.spec, std::max<std::int64_t>(1, newestStep(series))) : 0;
}

RunFacts factsOfPhase(const RunFacts& facts, int phase)
{
    RunFacts own = facts;
    if (!hasPhases(facts))
        return own;
    own.spec = specOfPhase(*facts.spec, phase);
    if (own.attempt && !own.attempt->spec.phases.empty())
        own.attempt->spec = specOfPhase(own.attempt->spec, phase);
    const auto later = static_cast<std::size_t>(phase) - 1;
    if (phase > 0)
        own.dataSet = later < facts.laterDataSets.size() ? facts.laterDataSets[later] : std::nullopt;
    own.laterDataSets.clear();
    const std::int64_t before = stepsBefore(*facts.spec, phase);
    own.phase =
        RunFacts::PhaseOfRun{phaseTitle(*facts.spec, phase), before + 1, before + own.spec->launch.steps};
    return own;
}

RunFacts factsNow(const RunFacts& facts, const RunSeries& series)
{
    return factsOfPhase(facts, phaseNow(facts, series));
}

QString phaseText(const RunFacts& facts, const RunSeries& series)
{
    if (!hasPhases(facts))
        return {};
    const RunFacts now = factsNow(facts, series);
    QStringList parts{now.phase->title};
    if (now.dataSet)
        parts << QObject::tr("length %1").arg(displayCount(now.dataSet->sequenceLength));
    const std::int64_t done =
        std::clamp<std::int64_t>(newestStep(series) - now.phase->firstStep + 1, 0, now.spec->launch.steps);
    parts << QObject::tr("step %1 of %2").arg(displayCount(done), displayCount(now.spec->launch.steps));
    return parts.join(QStringLiteral("  ·  "));
}

std::vector<PhaseBorder> phaseBorders(const RunFacts& facts, const StepTable& steps, StepColumn positions)
{
    std::vector<PhaseBorder> borders;
    if (!hasPhases(facts) || steps.isEmpty())
        return borders;
    const SeriesColumn& numbers = steps.column(StepColumn::Step);
    const SeriesColumn& at = steps.column(positions);
    for (int phase = 1; phase < phaseCount(*facts.spec); ++phase) {
        const qsizetype row = numbers.upperBound(static_cast<double>(stepsBefore(*facts.spec, phase)));
        if (row <= 0 || row >= at.size())
            continue;
        const double position = (at[row - 1] + at[row]) / 2;
        if (std::isfinite(position))
            borders.push_back({phase, position, phaseLabel(*facts.spec, phase)});
    }
    return borders;
}

} // namespace trainyard
