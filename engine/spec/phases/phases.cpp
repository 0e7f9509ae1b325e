#include "engine/spec/phases/phases.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <type_traits>

#include <fmt/format.h>

#include "engine/spec/phases/batch_ramp.h"
#include "engine/spec/phases/data_mix.h"
#include "engine/spec/phases/phase_sections.h"

namespace trainyard {

namespace {

/// A phase that names one data set, or a mix, does not keep the run's other kind.
void keepOneKindOfData(const PhaseSpec& phase, DatasetSpec& dataset)
{
    const bool namesPath = phase.named.contains("dataset.path");
    const bool namesMix = phase.named.contains("dataset.mix");
    if (namesPath && !namesMix)
        dataset.mix.clear();
    if (namesMix && !namesPath)
        dataset.path.clear();
}

const PhaseSpec& phaseIn(const RunSpec& run, int phase)
{
    return run.phases.at(static_cast<std::size_t>(phase));
}

std::uint64_t samplesOfPhase(const RunSpec& run, int phase)
{
    return samplesOf(specOfPhase(run, phase));
}

} // namespace

int phaseCount(const RunSpec& run)
{
    return std::max(1, static_cast<int>(run.phases.size()));
}

std::string phaseName(const RunSpec& run, int phase)
{
    const bool named = !run.phases.empty() && !phaseIn(run, phase).name.empty();
    return named ? phaseIn(run, phase).name : fmt::format("phase {}", phase + 1);
}

RunSpec specOfPhase(const RunSpec& run, int phase)
{
    RunSpec spec = run;
    if (run.phases.empty())
        return spec;
    const PhaseSpec& over = phaseIn(run, phase);
    spec.phases.clear();
    spec.launch.steps = over.steps;
    eachPhaseSection(over, spec, [&](const char* key, const auto& from, auto& to) {
        eachFieldOf<std::remove_cvref_t<decltype(to)>>(
            key, [&](const std::string& field, const auto& access) {
                if (over.named.contains(field))
                    std::invoke(access, to) = std::invoke(access, from);
            });
    });
    keepOneKindOfData(over, spec.dataset);
    return spec;
}

std::int64_t stepsOfPhases(const RunSpec& run)
{
    return run.phases.empty() ? run.launch.steps : stepsBefore(run, phaseCount(run));
}

std::uint64_t samplesOfPhases(const RunSpec& run)
{
    return run.phases.empty() ? samplesOf(run) : samplesBefore(run, phaseCount(run));
}

std::int64_t stepsBefore(const RunSpec& run, int phase)
{
    std::int64_t steps = 0;
    for (int earlier = 0; earlier < phase; ++earlier)
        steps += phaseIn(run, earlier).steps;
    return steps;
}

int phaseOfStep(const RunSpec& run, std::int64_t step)
{
    int phase = 0;
    while (phase + 1 < phaseCount(run) && step > stepsBefore(run, phase + 1))
        ++phase;
    return phase;
}

RunSpec specOfStep(const RunSpec& run, std::int64_t step)
{
    return specOfPhase(run, phaseOfStep(run, step));
}

std::uint64_t samplesBefore(const RunSpec& run, int phase)
{
    std::uint64_t samples = 0;
    for (int earlier = 0; earlier < phase; ++earlier)
        samples += samplesOfPhase(run, earlier);
    return samples;
}

std::vector<std::uint64_t> rowsTakenBefore(const RunSpec& run, int phase)
{
    std::map<std::string, std::uint64_t> taken;
    for (int earlier = 0; earlier < phase; ++earlier) {
        const DatasetSpec dataset = specOfPhase(run, earlier).dataset;
        const auto share = DataMix(dataset).shareOf(samplesOfPhase(run, earlier));
        for (std::size_t set = 0; set < share.size(); ++set)
            taken[dataset.sets()[set].path] += share[set];
    }
    std::vector<std::uint64_t> before;
    for (const MixedDataSet& set : specOfPhase(run, phase).dataset.sets())
        before.push_back(taken[set.path]);
    return before;
}

std::uint64_t firstSample(const RunSpec& run, int phase)
{
    const std::vector<std::uint64_t> taken = rowsTakenBefore(run, phase);
    return std::accumulate(taken.begin(), taken.end(), std::uint64_t{0});
}

RunSpec withLearningRate(RunSpec run, double rate)
{
    run.optimizer.learningRate = rate;
    for (PhaseSpec& phase : run.phases) {
        if (phase.named.contains("optimizer.learning_rate"))
            phase.optimizer.learningRate = std::min(phase.optimizer.learningRate, rate);
    }
    return run;
}

} // namespace trainyard
