#include "remote/launch/run_data_sets.h"

#include "engine/base/file.h"
#include "engine/spec/data_set_rules.h"
#include "engine/spec/phases/phases.h"
#include "remote/launch/judge_spec.h"

namespace trainyard {

std::vector<DataSetOfPhase> dataSetsOf(const RunSpec& run)
{
    std::vector<DataSetOfPhase> all;
    for (int phase = 0; phase < phaseCount(run); ++phase) {
        const std::vector<MixedDataSet> sets = specOfPhase(run, phase).dataset.sets();
        for (std::size_t set = 0; set < sets.size(); ++set)
            all.push_back({phase, set, sets[set].path});
    }
    return all;
}

std::vector<DataSetOfPhase> evaluatedDataSetsOf(const RunSpec& run)
{
    std::vector<DataSetOfPhase> all;
    for (int phase = 0; phase < phaseCount(run); ++phase) {
        const EvaluationSpec evaluation = specOfPhase(run, phase).evaluation;
        if (evaluation.isOn() && !evaluation.dataset.empty())
            all.push_back({phase, 0, evaluation.dataset});
    }
    return all;
}

Result<std::vector<DataSetManifest>> RunDataSets::ofPhase(const RunSpec& run, int phase) const
{
    const std::vector<DataSetOfPhase> all = dataSetsOf(run);
    std::vector<DataSetManifest> data;
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (all[i].phase != phase)
            continue;
        TRAINYARD_TRY(DataSetManifest manifest,
                      parseDataSetManifest(manifests[i].toStdString(), all[i].folder + "/manifest.json"));
        data.push_back(std::move(manifest));
    }
    return data;
}

Status RunDataSets::judgeEvaluated(const RunSpec& specOfPhase, const DataSetManifest& trained) const
{
    const auto found = evaluated.find(specOfPhase.evaluation.dataset);
    if (!specOfPhase.evaluation.isOn() || found == evaluated.end())
        return {};
    TRAINYARD_TRY(const DataSetManifest manifest,
                  parseDataSetManifest(found->second.toStdString(), found->first + "/manifest.json"));
    return judgeEvaluatedDataSet(specOfPhase, manifest, trained.sequenceLength);
}

Status RunDataSets::keep(const std::filesystem::path& folder, const RunSpec& run) const
{
    const std::vector<DataSetOfPhase> sets = dataSetsOf(run);
    for (std::size_t i = 0; i < manifests.size(); ++i)
        TRAINYARD_TRY_STATUS(writeFileAtomically(folder / keptManifestName(sets[i].phase, sets[i].set),
                                                 manifests[i].toStdString()));
    return {};
}

Result<DataSetManifest> keptManifest(const std::filesystem::path& folder, const DataSetOfPhase& set)
{
    TRAINYARD_TRY(const std::string text, readFile(folder / keptManifestName(set.phase, set.set)));
    return parseDataSetManifest(text, "dataset.json");
}

} // namespace trainyard
