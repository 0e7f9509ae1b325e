#include "app/designer/model/data_mix_edits.h"

#include "engine/spec/phases/phase_edits.h"
#include "engine/spec/phases/phases.h"

namespace trainyard {

namespace {

bool hasThePhase(const RunSpec& run, int phase)
{
    return phase < static_cast<int>(run.phases.size());
}

/// A phase that names one data set, or a mix, has to name that alone: the other kind of the run does not
/// count then (specOfPhase()).
void overrideDataset(RunSpec& run, int phase, const DatasetSpec& wanted)
{
    RunSpec spec = specOfPhase(run, phase);
    if (spec.dataset == wanted)
        return;
    spec.dataset = wanted;
    overrideInPhase(run, phase, spec);
    inheritFromRun(run, phase, wanted.isMix() ? "dataset.path" : "dataset.mix");
}

} // namespace

void addToMix(DatasetSpec& dataset, const std::string& path)
{
    if (!dataset.isMix())
        dataset = {.path = {}, .mix = {{dataset.path}}};
    dataset.mix.push_back({path});
}

void removeFromMix(DatasetSpec& dataset, std::size_t set)
{
    dataset.mix.erase(dataset.mix.begin() + static_cast<std::ptrdiff_t>(set));
    if (dataset.mix.size() == 1)
        dataset = {.path = dataset.mix.front().path};
}

DatasetPlace datasetOfRun()
{
    return {QStringLiteral("dataset"), [](const RunSpec& run) { return run.dataset; },
            [](RunSpec& run, const DatasetSpec& wanted) { run.dataset = wanted; }};
}

DatasetPlace datasetOfPhase(int phase)
{
    return {QStringLiteral("phases[%1].dataset").arg(phase),
            [phase](const RunSpec& run) {
                return hasThePhase(run, phase) ? specOfPhase(run, phase).dataset : run.dataset;
            },
            [phase](RunSpec& run, const DatasetSpec& wanted) {
                if (hasThePhase(run, phase))
                    overrideDataset(run, phase, wanted);
            }};
}

} // namespace trainyard
