#include "remote/launch/run_data_sets.h"

#include <memory>

#include <QJsonObject>

#include "engine/base/file.h"
#include "engine/spec/data_set_rules.h"
#include "engine/spec/phases/phase_rules.h"
#include "engine/spec/phases/phases.h"
#include "remote/launch/judge_spec.h"
#include "remote/target/read_file.h"

namespace trainyard {

namespace {

/// A search under way; the answer that is still to come keeps it alive.
struct DataSetQuestions {
    RunSpec run;
    std::vector<DataSetOfPhase> sets;
    Target& host;
    const QObject* context;
    std::function<void(const Result<RunDataSets>&)> done;
    RunDataSets found = {};
};

void readManifestOf(const std::shared_ptr<DataSetQuestions>& questions, const std::string& folder,
                    std::function<void(const Result<QByteArray>&)> done)
{
    readWhole(questions->host, {{"op", "data-set"}, {"folder", QString::fromStdString(folder)}},
              questions->context, std::move(done));
}

void findEvaluated(const std::shared_ptr<DataSetQuestions>& questions)
{
    const EvaluationSpec& evaluation = questions->run.evaluation;
    if (!evaluation.isOn() || evaluation.dataset.empty())
        return questions->done(questions->found);
    readManifestOf(questions, evaluation.dataset, [questions](const Result<QByteArray>& manifest) {
        if (!manifest.ok())
            return questions->done(manifest.error().in("evaluation.dataset"));
        questions->found.evaluated = *manifest;
        questions->done(questions->found);
    });
}

void findNext(const std::shared_ptr<DataSetQuestions>& questions)
{
    const std::size_t at = questions->found.manifests.size();
    if (at == questions->sets.size())
        return findEvaluated(questions);
    readManifestOf(questions, questions->sets[at].folder, [questions, at](const Result<QByteArray>& manifest) {
        if (!manifest.ok())
            return questions->done(inPhase(questions->run, questions->sets[at].phase, manifest.error()));
        questions->found.manifests.push_back(*manifest);
        findNext(questions);
    });
}

} // namespace

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
    if (evaluated.isEmpty())
        return {};
    TRAINYARD_TRY(const DataSetManifest manifest,
                  parseDataSetManifest(evaluated.toStdString(), specOfPhase.evaluation.dataset + "/manifest.json"));
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

void findDataSets(const RunSpec& run, Target& host, const QObject* context,
                  std::function<void(const Result<RunDataSets>&)> done)
{
    findNext(std::make_shared<DataSetQuestions>(
        DataSetQuestions{run, dataSetsOf(run), host, context, std::move(done)}));
}

} // namespace trainyard
