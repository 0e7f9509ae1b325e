#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <filesystem>
#include <functional>

#include "engine/base/file.h"
#include "engine/checkpoint/format/checkpoint_name.h"
#include "engine/checkpoint/weights/find_weights.h"
#include "engine/checkpoint/weights/weight_comparison.h"
#include "engine/model/model_parameters.h"
#include "tests/support/checkpoint/small_checkpoint.h"

using namespace trainyard;

namespace {

/// What a checkpoint of that model holds, without the optimizer's state.
WeightDescription weightsOf(const ModelSpec& model)
{
    WeightDescription weights{.origin = "the checkpoint /w", .model = model};
    for (const ParameterSpec& parameter : modelParameters(model))
        weights.tensors.push_back({"model/" + parameter.name, parameter.shape, ElementType::F32});
    std::ranges::sort(weights.tensors, {}, &StoredTensor::name);
    return weights;
}

WeightDescription withMoments(WeightDescription weights, OptimizerKind kind)
{
    weights.optimizer = kind;
    weights.updates = 500;
    const std::vector<StoredTensor> tensors = weights.tensors;
    for (const StoredTensor& tensor : tensors) {
        for (const char* state : {"optimizer/exp_avg/", "optimizer/exp_avg_sq/"})
            weights.tensors.push_back({state + tensor.name.substr(6), tensor.shape, tensor.type});
    }
    std::ranges::sort(weights.tensors, {}, &StoredTensor::name);
    return weights;
}

RunSpec smallRun(const std::function<void(RunSpec&)>& change = [](RunSpec&) {})
{
    RunSpec spec;
    spec.model.hidden = 32;
    spec.model.intermediate = 64;
    spec.model.vocabulary = 97;
    spec.model.maxPositions = 32;
    spec.init.path = "/w";
    change(spec);
    return spec;
}

std::string problemsOf(const WeightComparison& comparison)
{
    std::string text;
    for (const Diagnostic& problem : comparison.problems)
        text += problem.text() + "\n";
    return text;
}

std::vector<std::string> namesOf(const std::vector<WeightComparison::Apart>& tensors)
{
    std::vector<std::string> names;
    for (const WeightComparison::Apart& tensor : tensors)
        names.push_back(tensor.name);
    return names;
}

} // namespace

/// Names and shapes of a BERT of two layers, without values.
class TestWeightComparison : public QObject {
    Q_OBJECT

private slots:
    void loadsEverythingOfTheSameModel()
    {
        const RunSpec spec = smallRun();
        const auto found = compareWeights(withMoments(weightsOf(spec.model), OptimizerKind::AdamW), spec);
        QCOMPARE(problemsOf(found), std::string());
        QCOMPARE(found.loadedWeights(), std::int64_t(modelParameters(spec.model).size()));
        QVERIFY(found.drawn.empty() && found.left.empty() && !found.isPartial());
        QVERIFY(!found.loadsOptimizer && found.leavesOptimizer);
        QVERIFY(found.find("model/cls.predictions.bias"));
        QVERIFY(!found.find("optimizer/exp_avg/cls.predictions.bias"));
    }

    void ignoresWhatChangesNoWeight_data()
    {
        QTest::addColumn<int>("change");
        for (std::size_t i = 0; i < harmless().size(); ++i)
            QTest::addRow("%s", harmless()[i].first) << int(i);
    }
    void ignoresWhatChangesNoWeight()
    {
        QFETCH(int, change);
        const WeightDescription stored = weightsOf(smallRun().model);
        const auto found = compareWeights(stored, smallRun(harmless()[std::size_t(change)].second));
        QCOMPARE(problemsOf(found), std::string());
        QCOMPARE(found.loadedWeights(), std::int64_t(stored.tensors.size()));
    }

    void loadsTheOptimizerWhereItIsAskedFor()
    {
        const RunSpec spec = smallRun([](RunSpec& run) { run.init.optimizer = true; });
        const WeightDescription stored = withMoments(weightsOf(spec.model), OptimizerKind::AdamW);
        const auto found = compareWeights(stored, spec);
        QCOMPARE(problemsOf(found), std::string());
        QVERIFY(found.loadsOptimizer && !found.leavesOptimizer);
        QCOMPARE(found.loaded.size(), stored.tensors.size());
        QVERIFY(found.find("optimizer/exp_avg_sq/bert.pooler.dense.weight"));
        const auto weights = compareWeights(weightsOf(spec.model), spec);
        QCOMPARE(problemsOf(weights),
                 std::string("init.optimizer: is true, but the checkpoint /w holds weights alone — set it to "
                             "false, or begin with a checkpoint of a run\n"));
    }

    void refusesAnIncompleteOptimizer()
    {
        const RunSpec spec = smallRun([](RunSpec& run) { run.init.optimizer = true; });
        WeightDescription stored = withMoments(weightsOf(spec.model), OptimizerKind::AdamW);
        std::erase_if(stored.tensors, [](const StoredTensor& tensor) {
            return tensor.name == "optimizer/exp_avg_sq/cls.predictions.bias";
        });
        const std::string problems = problemsOf(compareWeights(stored, spec));
        QVERIFY2(
            problems.find("optimizer/exp_avg_sq/cls.predictions.bias should be [97] as its weight there, "
                          "and is missing") != std::string::npos,
            problems.c_str());
    }

    void refusesWeightsThatAreNoFloatingPointNumbers()
    {
        WeightDescription stored = weightsOf(smallRun().model);
        for (StoredTensor& tensor : stored.tensors)
            tensor.type =
                tensor.name == "model/bert.pooler.dense.weight" ? ElementType::I8 : ElementType::BF16;
        const std::string problems = problemsOf(compareWeights(stored, smallRun()));
        QVERIFY2(problems.find("1 tensor differs: bert.pooler.dense.weight has the type I8 there") !=
                     std::string::npos,
                 problems.c_str());
    }

    void drawsAndLeavesHeads()
    {
        const std::vector<std::string> nextSentence{"bert.pooler.dense.weight", "bert.pooler.dense.bias",
                                                    "cls.seq_relationship.weight",
                                                    "cls.seq_relationship.bias"};
        const RunSpec with = smallRun();
        const RunSpec without = smallRun([](RunSpec& run) { run.model.nextSentence = false; });
        const auto drawn = compareWeights(weightsOf(without.model), with);
        QCOMPARE(problemsOf(drawn), std::string());
        QCOMPARE(namesOf(drawn.drawn), nextSentence);
        QVERIFY(drawn.isPartial());
        const auto left = compareWeights(weightsOf(with.model), without);
        QCOMPARE(problemsOf(left), std::string());
        QVERIFY(std::ranges::is_permutation(namesOf(left.left), nextSentence));
        QVERIFY2(drawn.text().find("drawn at random: bert.pooler.dense.weight [32, 32], ") !=
                     std::string::npos,
                 drawn.text().c_str());
    }

    void drawsAdaptersForTheirBase()
    {
        const RunSpec run = smallRun([](RunSpec& spec) {
            spec.model.lora.rank = 2;
            spec.init.optimizer = true;
        });
        ModelSpec base = run.model;
        base.lora = {};
        const auto found = compareWeights(withMoments(weightsOf(base), OptimizerKind::AdamW), run);
        QCOMPARE(problemsOf(found), std::string());
        QCOMPARE(found.loadedWeights(), std::int64_t(modelParameters(base).size()));
        QCOMPARE(found.loaded.size(), modelParameters(base).size()); // no moments of frozen weights
        QCOMPARE(found.drawn.size(), std::size_t(2 * 2 * run.model.layers));
        QCOMPARE(found.drawn.front().name,
                 std::string("bert.encoder.layer.0.attention.self.query.lora_A.weight"));
    }

    void refusesOtherAdapters()
    {
        const RunSpec run = smallRun([](RunSpec& spec) { spec.model.lora.rank = 2; });
        ModelSpec stored = run.model;
        QCOMPARE(problemsOf(compareWeights(weightsOf(stored), run)), std::string());
        stored.lora.alpha = 32;
        QVERIFY(problemsOf(compareWeights(weightsOf(stored), run)).find("lora.alpha") != std::string::npos);
        RunSpec without = run;
        without.model.lora = {};
        QVERIFY(problemsOf(compareWeights(weightsOf(run.model), without)).find("lora.rank") !=
                std::string::npos);
    }

    void leavesTensorsOfNoModelOfOurs()
    {
        WeightDescription stored = weightsOf(smallRun().model);
        stored.tensors.push_back({"model/zz.classifier.weight", {3, 32}, ElementType::F32});
        const auto found = compareWeights(stored, smallRun());
        QCOMPARE(problemsOf(found), std::string());
        QCOMPARE(namesOf(found.left), std::vector<std::string>{"zz.classifier.weight"});
    }

    void resizesOnlyWhenAsked()
    {
        const WeightDescription stored = weightsOf(smallRun().model);
        const auto larger = [](RunSpec& run) {
            run.model.vocabulary = 128;
            run.model.maxPositions = 16;
        };
        const auto refused = compareWeights(stored, smallRun(larger));
        QCOMPARE(problemsOf(refused),
                 std::string(
                     "model.vocabulary: is 128, but the checkpoint /w has 97; 3 tensors differ: "
                     "bert.embeddings.word_embeddings.weight is [128, 32] here and [97, 32] there; "
                     "bert.embeddings.position_embeddings.weight is [16, 32] here and [32, 32] there; "
                     "cls.predictions.bias is [128] here and [97] there — set it to 97, or set init.resize "
                     "to true\n"
                     "model.max_positions: is 16, but the checkpoint /w has 32 — set it to 32, or set "
                     "init.resize to true\n"));
        RunSpec spec = smallRun(larger);
        spec.init.resize = true;
        const auto allowed = compareWeights(stored, spec);
        QCOMPARE(problemsOf(allowed), std::string());
        const auto* words = allowed.find("model/bert.embeddings.word_embeddings.weight");
        QCOMPARE(words->shape, (std::vector<std::int64_t>{128, 32}));
        QCOMPARE(words->stored, (std::vector<std::int64_t>{97, 32}));
        QVERIFY2(allowed.text().find("rows 97 to 127 of cls.predictions.bias") != std::string::npos,
                 allowed.text().c_str());
        QVERIFY2(
            allowed.text().find("left out: rows 16 to 31 of bert.embeddings.position_embeddings.weight") !=
                std::string::npos,
            allowed.text().c_str());
    }

    void namesEveryKindOfDifference()
    {
        const WeightDescription stored = weightsOf(smallRun().model);
        RunSpec spec = smallRun([](RunSpec& run) {
            run.model.layers = 1;
            run.model.norm = NormPlacement::Pre;
            run.init.resize = true; // which helps nothing here
        });
        const std::string problems = problemsOf(compareWeights(stored, spec));
        for (const char* part : {"model.norm: is pre, but the checkpoint /w has post",
                                 "bert.encoder.LayerNorm.weight is [32] here and missing there",
                                 "bert.encoder.layer.1.attention.output.LayerNorm.bias is [32] there and "
                                 "missing here",
                                 "18 tensors differ", "; and 15 more"})
            QVERIFY2(problems.find(part) != std::string::npos, problems.c_str());
        QVERIFY2(problems.starts_with("model.layers: is 1, but the checkpoint /w has 2; "), problems.c_str());
    }

    void namesTheSizesThatDifferBeforeTheirTensors()
    {
        const RunSpec spec = smallRun([](RunSpec& run) {
            run.model.hidden = 64;
            run.model.heads = 4;
            run.model.intermediate = 256;
            run.model.vocabulary = 128;
        });
        const auto found = compareWeights(weightsOf(smallRun().model), spec);
        std::vector<std::string> paths;
        for (const Diagnostic& problem : found.problems)
            paths.push_back(problem.path);
        QCOMPARE(paths, (std::vector<std::string>{"model.hidden", "model.intermediate", "model.vocabulary",
                                                  "model.heads"}));
        const Diagnostic& first = found.problems.front();
        QVERIFY2(first.message.starts_with("is 64, but the checkpoint /w has 32; "), first.message.c_str());
        QCOMPARE(std::ranges::count(first.message, '['), std::ptrdiff_t(2 * 3)); // two shapes of each
        QCOMPARE(first.hint, std::string("set it to 32, or begin with other weights"));
        QCOMPARE(found.problems[1].message, std::string("is 256, but the checkpoint /w has 64"));
    }

    /// What is there fits.
    void ignoresAConfigurationThatTheTensorsContradict()
    {
        WeightDescription stored = weightsOf(smallRun().model);
        stored.model.hidden = 64;
        stored.model.vocabulary = 128;
        QCOMPARE(problemsOf(compareWeights(stored, smallRun())), std::string());
    }

    void refusesAConfigurationOfMillionsOfLayers()
    {
        WeightDescription stored = weightsOf(smallRun().model);
        stored.model.layers = 2'000'000'000;
        const std::string problems = problemsOf(compareWeights(stored, smallRun()));
        QVERIFY2(problems.starts_with("model.layers: is 2, but the checkpoint /w has 2000000000"),
                 problems.c_str());
    }

    void travelsAsJson()
    {
        const WeightDescription stored = withMoments(weightsOf(smallRun().model), OptimizerKind::Lans);
        QVERIFY(parseWeightDescription(toJson(stored)).value() == stored);
        const WeightDescription plain = weightsOf(smallRun().model);
        QVERIFY(parseWeightDescription(toJson(plain)).value() == plain);
        const std::string text = toJson(plain);
        for (const std::string& broken :
             {text.substr(0, text.size() / 2), std::string("[]"), std::string("{\"origin\": 1}")})
            QVERIFY(!parseWeightDescription(broken).ok());
    }

    void findsTheCheckpointThatIsMeant()
    {
        QTemporaryDir folder;
        const std::filesystem::path runs = folder.path().toStdString();
        const auto checkpoints = runs / "r" / "checkpoints";
        for (const int step : {10, 20, 30})
            QVERIFY(publishSmallCheckpoint(checkpoints, step).ok());
        const auto found = [&](const InitSpec& init) {
            const auto place = findInitialWeights(init, runs);
            return place.ok() ? std::filesystem::relative(*place, checkpoints).string()
                              : place.error().text();
        };
        QCOMPARE(found({.path = "r"}), std::string("step-000000030"));
        QCOMPARE(found({.path = (runs / "r").string(), .step = 10}), std::string("step-000000010"));
        QCOMPARE(found({.path = checkpoints.string(), .step = 20}), std::string("step-000000020"));
        QCOMPARE(found({.path = (checkpoints / "step-000000010").string()}), std::string("step-000000010"));
        // What is not complete is no newest one, but may be asked for.
        std::filesystem::remove(checkpoints / "step-000000030" / "manifest.json");
        QCOMPARE(found({.path = "r"}), std::string("step-000000020"));
        QVERIFY(found({.path = "r", .step = 15}).find("available steps: 10, 20, 30") != std::string::npos);
        QVERIFY(found({.path = "other"}).starts_with("init.path: there is no run, checkpoint or folder "));
        const std::string single = found({.path = (checkpoints / "step-000000010").string(), .step = 10});
        QVERIFY2(single.starts_with("init.step: ") && single.find("is a single model") != std::string::npos,
                 single.c_str());
    }

    void findsTheBestCheckpoint()
    {
        QTemporaryDir folder;
        const std::filesystem::path checkpoints = folder.path().toStdString();
        for (const int step : {10, 20})
            QVERIFY(publishSmallCheckpoint(checkpoints, step).ok());
        QVERIFY(findWeights(checkpoints, {.best = true}).error().message.find("no checkpoint is marked") !=
                std::string::npos);
        QVERIFY(markAsBest(checkpoints, "step-000000010").ok());
        QCOMPARE(findWeights(checkpoints, {.best = true}).value().folder, checkpoints / "step-000000010");
        QCOMPARE(findWeights(checkpoints).value().folder, checkpoints / "step-000000020");
    }

private:
    static const std::vector<std::pair<const char*, std::function<void(RunSpec&)>>>& harmless()
    {
        static const std::vector<std::pair<const char*, std::function<void(RunSpec&)>>> all{
            {"optimizer", [](RunSpec& run) { run.optimizer.kind = OptimizerKind::Sgd; }},
            {"layout", [](RunSpec& run) { run.layout.tensor = 2; }},
            {"precision", [](RunSpec& run) { run.precision.compute = ComputeType::BFloat16; }},
            {"dropout", [](RunSpec& run) { run.model.dropout = 0; }},
            {"preset", [](RunSpec& run) { run.model.preset = "bert-tiny"; }},
            {"seed", [](RunSpec& run) { run.seed = 1; }},
        };
        return all;
    }
};

QTEST_APPLESS_MAIN(TestWeightComparison)
#include "tst_weight_comparison.moc"
