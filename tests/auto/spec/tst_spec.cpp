#include <QFile>
#include <QTest>

#include <limits>
#include <set>

#include <nlohmann/json.hpp>

#include "engine/spec/data_set_rules.h"
#include "engine/spec/field_changes.h"
#include "engine/spec/lora_targets.h"
#include "engine/spec/presets.h"
#include "engine/spec/remarks.h"
#include "engine/spec/spec_json.h"
#include "engine/spec/validate.h"

using namespace trainyard;

namespace {

RunSpec validSpec()
{
    RunSpec spec;
    spec.dataset.path = "/data/wiki";
    return spec;
}

QString print(const Diagnostics& diagnostics)
{
    QStringList lines;
    for (const auto& d : diagnostics)
        lines << QString::fromStdString(d.path + ": " + d.message + " | " + d.hint);
    return lines.join('\n');
}

using Keys = std::set<std::string>;

void collectKeys(const nlohmann::json& json, const std::string& path, Keys& keys)
{
    for (const auto& [key, value] : json.items()) {
        const std::string inner = json.is_array() ? path + "[]" : path + "." + key;
        if (value.is_structured())
            collectKeys(value, inner, keys);
        else
            keys.insert(inner);
    }
}

Keys keysOf(const nlohmann::json& json)
{
    Keys keys;
    collectKeys(json, "", keys);
    return keys;
}

void collectSchemaKeys(const nlohmann::json& root, const nlohmann::json& schema, const std::string& path,
                       Keys& keys)
{
    if (schema.contains("$ref")) // "#/properties/batch"
        return collectSchemaKeys(
            root, root.at(nlohmann::json::json_pointer(schema["$ref"].get<std::string>().substr(1))), path,
            keys);
    if (schema.contains("items"))
        return collectSchemaKeys(root, schema["items"], path + "[]", keys);
    if (!schema.contains("properties")) {
        keys.insert(path);
        return;
    }
    for (const auto& [key, value] : schema["properties"].items())
        collectSchemaKeys(root, value, path + "." + key, keys);
}

Keys schemaKeysOf(const nlohmann::json& schema)
{
    Keys keys;
    collectSchemaKeys(schema, schema, "", keys);
    return keys;
}

QString print(const Keys& keys)
{
    QStringList lines;
    for (const auto& key : keys)
        lines << QString::fromStdString(key);
    return lines.join('\n');
}

} // namespace

class TestSpec : public QObject {
    Q_OBJECT

private slots:
    void readsBackWhatItWrote()
    {
        RunSpec spec = validSpec();
        spec.name = "bert-large.phase_1";
        spec.model = *modelPreset("bert-large");
        spec.cluster.nodes = {{"gpu-01", 8, 80 * kGiB, "hgx-a100"}, {"me@gpu-02:2222", 4, 0}};
        spec.layout.bucketSize = 1537;
        spec.layout.schedule = PipelineScheduleKind::Interleaved;
        spec.layout.virtualStages = 3;
        spec.layout.partition = {PartitionKind::ByHand, {7, 8, 9}};
        spec.optimizer.kind = OptimizerKind::LambPaper;
        spec.optimizer.momentum = 0.5;
        spec.precision = {ComputeType::Float16, {4096, 500, 0.25, 2, 0.5}};
        spec.memory.offloadActivations = true;
        spec.memory.offloadHorizon = 3;
        spec.memory.offloadOptimizer = true;
        spec.memory.offloadParameters = true;
        spec.layout.context = 2;
        spec.batch.packing = true;
        spec.launch.device = DeviceKind::Cuda;
        spec.launch.gracePeriod = std::chrono::milliseconds(1500);
        spec.launch.launcher = LauncherKind::Slurm;
        spec.launch.slurm = {"gpu,fast",
                             "lab-7",
                             "high",
                             "a100&nvlink",
                             std::chrono::hours(2),
                             false,
                             std::chrono::seconds(90)};
        spec.launch.restart = {7, std::chrono::milliseconds(1500), true, true};
        const ParsedSpec parsed = parseSpec(toJson(spec));
        QCOMPARE(print(parsed.diagnostics), "");
        QVERIFY(parsed.spec == spec);
    }

    void namesTheFieldAndTheFix_data()
    {
        QTest::addColumn<QString>("json");
        QTest::addColumn<QString>("path");
        QTest::addColumn<QString>("said");
        QTest::addRow("unknown key") << R"({"trainyard":1,"batch":{"mirco":4}})"
                                     << "batch.mirco"
                                     << "did you mean \"micro\"?";
        QTest::addRow("unknown section") << R"({"trainyard":1,"optimiser":{}})"
                                         << "optimiser"
                                         << "did you mean \"optimizer\"?";
        QTest::addRow("key of a section") << R"({"trainyard":1,"learning_rate":0.1})"
                                          << "learning_rate"
                                          << "it belongs under \"optimizer\"";
        QTest::addRow("key of two sections") << R"({"trainyard":1,"model":{"schedule":"linear"}})"
                                             << "model.schedule"
                                             << "it belongs under \"layout\" or under \"optimizer\"";
        QTest::addRow("key of the root") << R"({"trainyard":1,"launch":{"seed":1}})"
                                         << "launch.seed"
                                         << "it belongs at the top level";
        QTest::addRow("key of a node") << R"({"trainyard":1,"cluster":{"slots":1}})"
                                       << "cluster.slots"
                                       << "it belongs under \"cluster.nodes[]\"";
        QTest::addRow("no version") << R"({"name":"x"})"
                                    << "trainyard"
                                    << "start the file with";
        QTest::addRow("other version") << R"({"trainyard":2})"
                                       << "trainyard"
                                       << "reads version 1";
        QTest::addRow("decimal unit") << R"({"trainyard":1,"layout":{"bucket_size":"25 MB"}})"
                                      << "layout.bucket_size"
                                      << "KiB, MiB, GiB";
        QTest::addRow("bare number") << R"({"trainyard":1,"launch":{"grace_period":15}})"
                                     << "launch.grace_period"
                                     << "has no unit";
        QTest::addRow("text for number") << R"({"trainyard":1,"batch":{"micro":"8"}})"
                                         << "batch.micro"
                                         << "whole number";
        QTest::addRow("fraction") << R"({"trainyard":1,"launch":{"steps":1.5}})"
                                  << "launch.steps"
                                  << "whole number";
        QTest::addRow("unknown optimizer") << R"({"trainyard":1,"optimizer":{"kind":"lars"}})"
                                           << "optimizer.kind"
                                           << "adamw, lamb";
        QTest::addRow("unknown schedule") << R"({"trainyard":1,"layout":{"schedule":"1b1f"}})"
                                          << "layout.schedule"
                                          << "gpipe, 1f1b, interleaved, zero-bubble";
        QTest::addRow("unknown partition") << R"({"trainyard":1,"layout":{"partition":"flops"}})"
                                           << "layout.partition"
                                           << "layers, parameters, cost, or the layers of each stage";
        QTest::addRow("negative layer count") << R"({"trainyard":1,"layout":{"partition":[3,-1]}})"
                                              << "layout.partition"
                                              << "[3,-1]";
        QTest::addRow("unknown preset") << R"({"trainyard":1,"model":{"preset":"bert-larg"}})"
                                        << "model.preset"
                                        << "did you mean \"bert-large\"?";
        QTest::addRow("not JSON") << R"({"trainyard":1,)"
                                  << ""
                                  << "not valid JSON";
        QTest::addRow("comma too many") << "{\n  \"trainyard\": 1,\n  \"batch\": {,}\n}"
                                        << ""
                                        << "not valid JSON at line 3, column 13";
        QTest::addRow("key twice") << R"({"trainyard":1,"layout":{"data":2,"data":4}})"
                                   << ""
                                   << "\"layout.data\" is given twice";
        QTest::addRow("integer too large") << R"({"trainyard":1,"batch":{"global":2147483648}})"
                                           << "batch.global"
                                           << "must be at most 2147483647";
        QTest::addRow("integer too small") << R"({"trainyard":1,"batch":{"global":-2147483649}})"
                                           << "batch.global"
                                           << "must be at least -2147483648";
        QTest::addRow("no memory at all")
            << R"({"trainyard":1,"cluster":{"nodes":[{"host":"a","memory":"0 GiB"}]}})"
            << "cluster.nodes[0].memory"
            << "leave it out where it is unknown";
        QTest::addRow("list") << "[]"
                              << ""
                              << "must be an object";
        QTest::addRow("loss scale") << R"({"trainyard":1,"precision":{"loss_scale":{"initail":4}}})"
                                    << "precision.loss_scale.initail"
                                    << "did you mean \"initial\"?";
        QTest::addRow("node") << R"({"trainyard":1,"cluster":{"nodes":[{"host":"a"},{"slot":2}]}})"
                              << "cluster.nodes[1].slot"
                              << "slots";
    }
    void namesTheFieldAndTheFix()
    {
        QFETCH(QString, json);
        QFETCH(QString, path);
        QFETCH(QString, said);
        const ParsedSpec parsed = parseSpec(json.toStdString());
        QVERIFY(!parsed.diagnostics.empty());
        QCOMPARE(QString::fromStdString(parsed.diagnostics.front().path), path);
        QVERIFY2(print(parsed.diagnostics).contains(said), qPrintable(print(parsed.diagnostics)));
    }

    void refusesWhatNestsTooDeep()
    {
        const ParsedSpec parsed = parseSpec(R"({"model": )" + std::string(300'000, '['));
        QCOMPARE(parsed.diagnostics.size(), std::size_t{1});
        QVERIFY(print(parsed.diagnostics).contains("nests deeper"));
    }

    void overridesThePreset()
    {
        const ParsedSpec parsed =
            parseSpec(R"({"trainyard":1,"model":{"dropout":0.0,"preset":"bert-base"}})");
        QCOMPARE(parsed.spec.model.layers, 12);
        QCOMPARE(parsed.spec.model.dropout, 0.0);
    }

    void explainsTheBatchEquation()
    {
        RunSpec spec = validSpec();
        spec.batch = {64, 8, 4};
        const auto diagnostics = validate(spec);
        QCOMPARE(diagnostics.size(), std::size_t(1));
        QCOMPARE(QString::fromStdString(diagnostics[0].path), "batch.global");
        QVERIFY2(print(diagnostics).contains("micro 8 x accumulation 4 x data-parallel degree 1 = 32"),
                 qPrintable(print(diagnostics)));
        QVERIFY(print(diagnostics).contains("set batch.accumulation to 8"));
    }

    void refusesLossScalesThatCannotWork()
    {
        RunSpec spec = validSpec();
        spec.precision.lossScale = {.initial = 2, .growthInterval = 0, .backoff = 1, .minimum = 4};
        QStringList paths;
        for (const Diagnostic& diagnostic : validate(spec))
            paths << QString::fromStdString(diagnostic.path).section('.', -1);
        QCOMPARE(paths, QStringList({"growth_interval", "backoff", "initial"}));
    }

    void refusesMoreRanksThanSlots()
    {
        RunSpec spec = validSpec();
        spec.layout.data = 4;
        spec.batch = {32, 8, 1};
        const auto diagnostics = validate(spec);
        QCOMPARE(diagnostics.size(), std::size_t(1));
        QCOMPARE(toError(diagnostics).kind, ErrorKind::Refused);
        QVERIFY(print(diagnostics).contains("needs 4 ranks, and the cluster has 1 slot"));
    }

    void asksForSlotsAndForNoFewerRanksThanOne()
    {
        RunSpec spec = validSpec();
        spec.cluster.nodes.front().slotCount = 0;
        QCOMPARE(print(validate(spec)).contains("product of at most"), false);
        QCOMPARE(QString::fromStdString(validate(spec).front().path), "cluster.nodes[0].slots");
        spec.cluster.nodes.clear();
        QCOMPARE(validate(spec).size(), std::size_t(1));
    }

    void refusesNumbersBeyondCounting()
    {
        const auto problemsOf = [](auto change) {
            RunSpec spec = validSpec();
            change(spec);
            return print(validate(spec));
        };
        constexpr int kHuge = std::numeric_limits<int>::max();
        QVERIFY(problemsOf([](RunSpec& spec) {
                    spec.model.hidden = kHuge;
                }).contains("model.hidden: is 2147483647"));
        QVERIFY(problemsOf([](RunSpec& spec) {
                    spec.layout.data = spec.layout.context = 65536;
                }).contains("needs 4294967296 ranks"));
        QVERIFY(problemsOf([](RunSpec& spec) {
                    spec.cluster.nodes = {{"a", 65536}, {"b", kHuge}};
                }).contains("cluster.nodes[1].slots: is 2147483647"));
        QVERIFY(problemsOf([](RunSpec& spec) {
                    spec.layout.pipeline = 2;
                    spec.layout.virtualStages = kHuge;
                }).contains("layout.virtual_stages: is 2147483647"));
        QVERIFY(problemsOf([](RunSpec& spec) {
                    spec.batch.micro = kHuge;
                    spec.batch.accumulation = kHuge;
                }).contains("batch.micro: is 2147483647"));
    }

    void hardwareIsAName()
    {
        RunSpec spec = validSpec();
        for (const char* name : {"", "hgx-h100", "ml.p4d_24xlarge", "2-nodes"}) {
            spec.cluster.nodes.front().hardware = name;
            QCOMPARE(print(validate(spec)), "");
        }
        for (const std::string& name : {std::string("../mine"), std::string(".hidden"),
                                        std::string("two words"), std::string(65, 'a')}) {
            spec.cluster.nodes.front().hardware = name;
            QVERIFY(print(validate(spec)).contains("cluster.nodes[0].hardware"));
        }
    }

    void namesTheDegreesThatAreTooMany()
    {
        RunSpec spec = validSpec();
        spec.cluster.nodes.front().slotCount = 8;
        spec.layout.context = 9;
        QVERIFY(print(validate(spec)).contains("context, tensor or pipeline to a product of at most 8"));
        spec.layout.context = 4;
        spec.layout.data = 3;
        QVERIFY(print(validate(spec)).contains("lower layout.data to 2"));
    }

    void refusesAttentionBeyondItsDropoutMasks()
    {
        RunSpec spec = validSpec();
        spec.model = *modelPreset("gpt2-xl");
        spec.model.maxPositions = 32768;
        QVERIFY(print(sharingProblems(spec, 32768)).contains("set model.attention_dropout to 0"));
        QCOMPARE(print(sharingProblems(spec, 16384)), "");
        spec.model.attentionDropout = 0;
        QCOMPARE(print(sharingProblems(spec, 32768)), "");
    }

    void reportsEverythingAtOnceAndBadInputFirst()
    {
        RunSpec spec = validSpec();
        spec.layout.data = 4;
        spec.batch = {32, 8, 1};
        spec.model.heads = 3;
        spec.name = "a b";
        const auto diagnostics = validate(spec);
        QCOMPARE(diagnostics.size(), std::size_t(3));
        QCOMPARE(toError(diagnostics).kind, ErrorKind::BadInput);
        QVERIFY(toError(diagnostics).hint.find("2 more problems") != std::string::npos);
        QVERIFY(print(diagnostics).contains("use 2 or 4 heads"));
    }

    void offloadsParametersWithZero3Alone()
    {
        RunSpec spec = validSpec();
        spec.memory.offloadParameters = true;
        const auto diagnostics = validate(spec);
        QCOMPARE(diagnostics.size(), std::size_t(1));
        QCOMPARE(diagnostics[0].path, "memory.offload_parameters");
        QCOMPARE(toError(diagnostics).kind, ErrorKind::Refused);
        QVERIFY2(print(diagnostics).contains("set memory.zero_stage to 3, or memory.offload_optimizer"),
                 qPrintable(print(diagnostics)));
        spec.memory.zeroStage = 3;
        QCOMPARE(print(validate(spec)), "");
        QCOMPARE(print(remarksOn(spec)), ""); // ZeRO 3 of one rank has an effect now
    }

    void wantsTheWholePathOfTheDataSet()
    {
        RunSpec spec = validSpec();
        spec.dataset.path = "data/wiki";
        const auto diagnostics = validate(spec);
        QCOMPARE(diagnostics.size(), std::size_t(1));
        QCOMPARE(diagnostics[0].path, "dataset.path");
        QVERIFY2(print(diagnostics).contains("absolute path"), qPrintable(print(diagnostics)));
    }

    void remarksOnWhateverIsTyped()
    {
        for (const int number : {-1, 0, 1 << 16, std::numeric_limits<int>::max()}) {
            for (int ParallelLayout::*degree :
                 {&ParallelLayout::tensor, &ParallelLayout::pipeline, &ParallelLayout::virtualStages}) {
                RunSpec spec;
                spec.layout.pipeline = spec.layout.virtualStages = 1 << 16;
                spec.layout.*degree = number;
                QVERIFY(!print(remarksOn(spec)).contains("divide"));
            }
        }
    }

    void holdsTheModelAgainstTheDataSet()
    {
        RunSpec spec = validSpec();
        const DataSetShape fits{spec.model.vocabulary, spec.model.maxPositions, 32};
        QCOMPARE(print(dataSetProblems(spec, fits)), "");
        QCOMPARE(print(dataSetRemarks(spec, fits)), "");
        const QString problems = print(dataSetProblems(spec, {40000, 1024, 32}));
        QVERIFY2(problems.contains("set model.vocabulary to 40000"), qPrintable(problems));
        QVERIFY2(problems.contains("set model.max_positions to at least 1024"), qPrintable(problems));
        const QString remarks = print(dataSetRemarks(spec, {100, 128, 31}));
        QVERIFY2(remarks.contains("batch.global: is 32") && remarks.contains("31 training rows"),
                 qPrintable(remarks));
    }

    void refusesEvaluationsThatCannotWork_data()
    {
        QTest::addColumn<QString>("json");
        QTest::addColumn<QString>("said");
        QTest::addRow("accuracy above 1") << R"({"metric":"accuracy","target":71.2})"
                                          << "evaluation.target: is 71.2, and no accuracy is above 1";
        QTest::addRow("negative loss") << R"({"target":-1})"
                                       << "evaluation.target: is -1";
        QTest::addRow("never evaluated") << R"({"batches":0,"patience":3})"
                                         << "evaluation.batches: is 0";
        QTest::addRow("relative folder") << R"({"dataset":"wiki"})"
                                         << "evaluation.dataset: \"wiki\" is a relative path";
    }
    void refusesEvaluationsThatCannotWork()
    {
        QFETCH(QString, json);
        QFETCH(QString, said);
        const ParsedSpec parsed = parseSpec(
            QString(R"({"trainyard":1,"dataset":{"path":"/d"},"evaluation":%1})").arg(json).toStdString());
        QCOMPARE(print(parsed.diagnostics), "");
        const Diagnostics problems = validate(parsed.spec);
        QCOMPARE(problems.size(), std::size_t{1});
        QVERIFY2(print(problems).contains(said), qPrintable(print(problems)));
    }

    void refusesInitsThatCannotWork_data()
    {
        QTest::addColumn<QString>("json");
        QTest::addColumn<QString>("said");
        QTest::addRow("relative folder") << R"({"path":"models/bert"})"
                                         << "init.path: \"models/bert\" is a relative path";
        QTest::addRow("negative step") << R"({"path":"/models/bert","step":-1})"
                                       << "init.step: is -1";
        QTest::addRow("nothing to resize") << R"({"resize":true})"
                                           << "init.path: is empty";
        QTest::addRow("a step of nothing") << R"({"step":100})"
                                           << "init.path: is empty";
    }
    void refusesInitsThatCannotWork()
    {
        QFETCH(QString, json);
        QFETCH(QString, said);
        const ParsedSpec parsed = parseSpec(
            QString(R"({"trainyard":1,"dataset":{"path":"/d"},"init":%1})").arg(json).toStdString());
        QCOMPARE(print(parsed.diagnostics), "");
        const Diagnostics problems = validate(parsed.spec);
        QCOMPARE(problems.size(), std::size_t{1});
        QVERIFY2(print(problems).contains(said), qPrintable(print(problems)));
    }

    void acceptsFoldersAndRunsToBeginFrom()
    {
        RunSpec spec = validSpec();
        for (const char* path : {"/models/bert", "20261121T091505Z-bert-tiny-3f2a"}) {
            spec.init = {.path = path, .step = 100, .optimizer = true, .resize = true};
            QCOMPARE(print(validate(spec)), "");
        }
    }

    void readsTheTaskIntoTheModel()
    {
        const ParsedSpec parsed = parseSpec(
            R"({"trainyard":1,"task":{"kind":"tag","labels":9,"dropout":0.2},"dataset":{"path":"/d"},
                          "model":{"preset":"bert-tiny"}})");
        QCOMPARE(print(parsed.diagnostics), "");
        const TaskSpec wanted{.kind = TaskKind::Tag, .labels = 9, .dropout = 0.2};
        QVERIFY(parsed.spec.model.task == wanted);
        QVERIFY(parseSpec(toJson(parsed.spec)).spec == parsed.spec);
        QCOMPARE(print(validate(parsed.spec)), "");
    }

    void readsAdaptersIntoTheModel()
    {
        const ParsedSpec parsed = parseSpec(
            R"({"trainyard":1,"lora":{"rank":4,"alpha":16,"dropout":0.1,"targets":["query","dense"]},
                          "dataset":{"path":"/d"},"model":{"preset":"bert-tiny"}})");
        QCOMPARE(print(parsed.diagnostics), "");
        const LoraSpec wanted{.rank = 4, .alpha = 16, .dropout = 0.1, .targets = {"query", "dense"}};
        QVERIFY(parsed.spec.model.lora == wanted);
        QVERIFY(parseSpec(toJson(parsed.spec)).spec == parsed.spec);
        QCOMPARE(print(validate(parsed.spec)), "");
        QVERIFY(toJson(RunSpec()).find("lora") == std::string::npos);
    }

    void remarksOnAdaptersOfAModelThatHasLearnedNothing()
    {
        RunSpec spec = validSpec();
        spec.model.lora.rank = 2;
        QVERIFY(print(remarksOn(spec)).contains("lora.rank: freezes weights that are drawn"));
        spec.init.path = "/models/bert";
        QVERIFY(!print(remarksOn(spec)).contains("lora"));
    }

    void findsTheProductsOfATarget_data()
    {
        QTest::addColumn<QString>("family");
        QTest::addColumn<QStringList>("targets");
        QTest::addColumn<QStringList>("products");
        QTest::addRow("PEFT's of bert")
            << "bert" << QStringList() << QStringList{"attention.self.query", "attention.self.value"};
        QTest::addRow("PEFT's of gpt") << "gpt" << QStringList() << QStringList{"attn.c_attn"};
        QTest::addRow("dense") << "bert" << QStringList{"dense"}
                               << QStringList{"attention.output.dense", "intermediate.dense", "output.dense"};
        QTest::addRow("output.dense")
            << "bert" << QStringList{"output.dense"} << QStringList{"attention.output.dense", "output.dense"};
        QTest::addRow("both, in the order of the layer")
            << "gpt" << QStringList{"mlp.c_proj", "c_attn"} << QStringList{"attn.c_attn", "mlp.c_proj"};
    }
    void findsTheProductsOfATarget()
    {
        QFETCH(QString, family);
        QFETCH(QStringList, targets);
        QFETCH(QStringList, products);
        ModelSpec model;
        model.setFamily(family == "gpt" ? ModelFamily::Gpt : ModelFamily::Bert);
        QVERIFY(adaptedProducts(model).empty());
        model.lora.rank = 2;
        for (const QString& target : targets)
            model.lora.targets.push_back(target.toStdString());
        QStringList found;
        for (const AdaptableProduct& product : adaptedProducts(model))
            found << QString::fromUtf8(product.name.data(), qsizetype(product.name.size()));
        QCOMPARE(found, products);
        QCOMPARE(isAdapted(model, "bert.encoder.layer.0.attention.output.dense"),
                 products.contains("attention.output.dense"));
    }

    void refusesAdaptersThatCannotWork_data()
    {
        QTest::addColumn<QString>("json");
        QTest::addColumn<QString>("said");
        QTest::addRow("rank 0") << R"("lora":{"rank":0})"
                                << "lora.rank: is 0";
        QTest::addRow("no rank") << R"("lora":{"alpha":16})"
                                 << "lora.rank: is missing";
        QTest::addRow("negative rank") << R"("lora":{"rank":-1})"
                                       << "lora.rank: is -1";
        QTest::addRow("no alpha") << R"("lora":{"rank":2,"alpha":0})"
                                  << "lora.alpha: is 0";
        QTest::addRow("everything dropped") << R"("lora":{"rank":2,"dropout":1})"
                                            << "lora.dropout: is 1";
        QTest::addRow("another model's target")
            << R"("lora":{"rank":2,"targets":["query","q_proj"]})"
            << R"(lora.targets: "q_proj" names no product of a layer of this bert model)";
        QTest::addRow("half a name") << R"("lora":{"rank":2,"targets":["uery"]})"
                                     << R"(lora.targets: "uery" names no product)";
        QTest::addRow("empty name") << R"("lora":{"rank":2,"targets":[""]})"
                                    << R"(lora.targets: "" names no product)";
        QTest::addRow("encoder's target of a decoder")
            << R"("lora":{"rank":2,"targets":["query"]},"model":{"family":"gpt"})"
            << R"(lora.targets: "query" names no product of a layer of this gpt model)";
        QTest::addRow("gate without one") << R"("lora":{"rank":2,"targets":["gate"]})"
                                          << R"(lora.targets: "gate" names no product)";
        QTest::addRow("in a phase") << R"("phases":[{"steps":5,"lora":{"rank":2}}])"
                                    << "phases[0].lora: a phase cannot change the lora of its run";
    }
    void refusesAdaptersThatCannotWork()
    {
        QFETCH(QString, json);
        QFETCH(QString, said);
        const ParsedSpec parsed =
            parseSpec(QString(R"({"trainyard":1,"dataset":{"path":"/d"},%1})").arg(json).toStdString());
        const QString problems = print(parsed.diagnostics) + print(validate(parsed.spec));
        QVERIFY2(problems.contains(said), qPrintable(problems));
    }

    void refusesTasksThatCannotWork_data()
    {
        QTest::addColumn<QString>("json");
        QTest::addColumn<QString>("said");
        QTest::addRow("classifying decoder")
            << R"("task":{"kind":"classify"},"model":{"family":"gpt"})"
            << "task.kind: is classify, which bert models learn, and model.family is gpt";
        QTest::addRow("completing encoder")
            << R"("task":{"kind":"complete"})"
            << "task.kind: is complete, which gpt models learn, and model.family is bert";
        QTest::addRow("one label") << R"("task":{"kind":"classify","labels":1})"
                                   << "task.labels: is 1";
        QTest::addRow("shared rows")
            << R"("task":{"kind":"answer"},"layout":{"context":2},"cluster":{"nodes":[{"slots":2}]})"
            << "layout.context: is 2";
        QTest::addRow("packed rows") << R"("task":{"kind":"answer"},"batch":{"packing":true})"
                                     << "batch.packing: is true";
    }
    void refusesTasksThatCannotWork()
    {
        QFETCH(QString, json);
        QFETCH(QString, said);
        const ParsedSpec parsed =
            parseSpec(QString(R"({"trainyard":1,"dataset":{"path":"/d"},%1})").arg(json).toStdString());
        QCOMPARE(print(parsed.diagnostics), "");
        const Diagnostics problems = validate(parsed.spec);
        QCOMPARE(problems.size(), std::size_t{1});
        QVERIFY2(print(problems).contains(said), qPrintable(print(problems)));
    }

    void holdsTheTaskAgainstTheRows()
    {
        RunSpec spec = validSpec();
        DataSetShape rows{spec.model.vocabulary, 128, 1000};
        spec.model.task = {.kind = TaskKind::Classify, .labels = 3};
        QVERIFY(print(dataSetProblems(spec, rows))
                    .contains("are for pre-training | set task.kind to none, or prepare a data set with "
                              "--task classify"));
        rows.objective = "classify";
        rows.labels = 3;
        QCOMPARE(print(dataSetProblems(spec, rows)), "");
        rows.labels = 5;
        QVERIFY(print(dataSetProblems(spec, rows)).contains("set task.labels to 5"));
        spec.model.task = {};
        QVERIFY(print(dataSetProblems(spec, rows)).contains("set task.kind to classify"));
    }

    void wantsTestRowsForATask()
    {
        RunSpec spec = validSpec();
        spec.model.task.kind = TaskKind::Regress;
        spec.evaluation.everySteps = 10;
        const DataSetShape rows{.vocabularySize = spec.model.vocabulary,
                                .sequenceLength = 128,
                                .trainingRows = 1000,
                                .objective = "regress",
                                .testRows = 0};
        QVERIFY(print(dataSetProblems(spec, rows)).contains("prepare it with --held-out or --test-fraction"));
        spec.evaluation.metric = EvaluationMetric::Accuracy;
        QVERIFY(print(validate(spec)).contains("evaluation.metric: is accuracy, and no number"));
        spec.evaluation.metric = EvaluationMetric::Loss;
        QCOMPARE(print(validate(spec)), "");
    }

    void wantsTestRowsWhereEvaluationIsAskedFor()
    {
        RunSpec spec = validSpec();
        DataSetShape rows{spec.model.vocabulary, 128, 1000};
        rows.testRows = 0;
        QCOMPARE(print(dataSetProblems(spec, rows)), "");
        spec.evaluation.everySteps = 10;
        QVERIFY(print(dataSetProblems(spec, rows)).contains("evaluation: has no rows"));
        spec.evaluation.batches = 0;
        QCOMPARE(print(dataSetProblems(spec, rows)), "");
        spec.evaluation = {.dataset = "/data/held-out"};
        QCOMPARE(print(dataSetProblems(spec, rows)), "");
        const QString apart = print(evaluationDataProblems(spec, rows, 64));
        QVERIFY2(apart.contains("evaluation.dataset: the data set /data/held-out has no test rows") &&
                     apart.contains("more than the 64 of the training rows"),
                 qPrintable(apart));
        rows.testRows = 10;
        QCOMPARE(print(evaluationDataProblems(spec, rows, 128)), "");
    }

    void holdsTheModelAgainstWhatTheRowsTeach()
    {
        RunSpec bert = validSpec();
        QCOMPARE(bert.model.family, ModelFamily::Bert);
        const auto rows = [&](const char* objective, const char* nextSentence = "random") {
            return DataSetShape{bert.model.vocabulary, 128, 1000, {}, objective, nextSentence};
        };
        QVERIFY(print(dataSetProblems(bert, rows("gpt"))).contains("model.family: is bert"));
        const QString masks = print(dataSetProblems(bert, rows("mlm")));
        QVERIFY2(masks.contains("set model.next_sentence to false"), qPrintable(masks));
        QCOMPARE(print(dataSetProblems(bert, rows("bert", "none"))), "");
        QVERIFY(print(dataSetRemarks(bert, rows("bert", "none"))).contains("model.next_sentence: is true"));
        QCOMPARE(print(dataSetRemarks(bert, rows("bert", "swap"))), "");
        bert.model.nextSentence = false;
        QCOMPARE(print(dataSetProblems(bert, rows("mlm"))), "");
        QCOMPARE(print(dataSetRemarks(bert, rows("bert", "none"))), "");
        RunSpec gpt = bert;
        gpt.model.family = ModelFamily::Gpt;
        for (const char* objective : {"bert", "mlm", "gpt"})
            QCOMPARE(print(dataSetProblems(gpt, rows(objective))), "");
    }

    void holdsPackingAgainstThePaddingOfTheDataSet()
    {
        RunSpec spec = validSpec();
        const auto remarks = [&](double paddingShare) {
            return print(dataSetRemarks(spec, {spec.model.vocabulary, 128, 1000, paddingShare}));
        };
        QVERIFY2(remarks(0.231).contains("batch.packing: is off, and 23 %"), qPrintable(remarks(0.231)));
        QCOMPARE(remarks(0.09), "");
        spec.layout.context = 2; // which packing does not go with
        QCOMPARE(remarks(0.231), "");
        QVERIFY(!print(validate(spec)).contains("batch.packing"));
        spec.batch.packing = true;
        QVERIFY(print(validate(spec)).contains("batch.packing: does not go with layout.context 2"));
        spec.layout.context = 1;
        QCOMPARE(remarks(0.231), "");
        QVERIFY2(remarks(0).contains("batch.packing: has no effect"), qPrintable(remarks(0)));
    }

    void refusesRanksThatCannotShareTheTokens()
    {
        RunSpec spec = validSpec();
        spec.layout.context = 3;
        QCOMPARE(print(sharingProblems(spec, 128)), "");
        QCOMPARE(print(sharingProblems(spec, 3)), "");
        const QString tooShort = print(sharingProblems(spec, 2));
        QVERIFY2(tooShort.contains("layout.context") && tooShort.contains("use at most 2"),
                 qPrintable(tooShort));
        // 128 = 43 + 43 + 42 tokens, of which tensor ranks can share only an even number of rows evenly.
        spec.layout.tensor = 2;
        spec.layout.sequence = true;
        spec.batch.micro = 3;
        const QString uneven = print(sharingProblems(spec, 128));
        QVERIFY2(uneven.contains("layout.sequence") && uneven.contains("make batch.micro a multiple of 2"),
                 qPrintable(uneven));
        QVERIFY(print(dataSetProblems(spec, {100, 128, 32})).contains("layout.sequence"));
        spec.batch.micro = 4;
        QCOMPARE(print(sharingProblems(spec, 128)), "");
    }

    // Megatron-LM pads GPT-2's 50257 to 50304 on one tensor rank and to 51200 on eight.
    void tellsWhatAPaddedVocabularyCosts_data()
    {
        QTest::addColumn<int>("vocabulary");
        QTest::addColumn<int>("tensor");
        QTest::addColumn<QString>("padded");
        QTest::addRow("GPT-2") << 50257 << 1
                               << "set it to 50304, a multiple of 128 x tensor 1; this adds 47 unused";
        QTest::addRow("of eight ranks")
            << 50257 << 8 << "set it to 51200, a multiple of 128 x tensor 8; this adds 943 unused";
        QTest::addRow("whole vectors") << 30528 << 1 << "";
        QTest::addRow("not for each rank") << 30528 << 16 << "set it to 30720";
    }
    void tellsWhatAPaddedVocabularyCosts()
    {
        QFETCH(int, vocabulary);
        QFETCH(int, tensor);
        QFETCH(QString, padded);
        RunSpec spec;
        spec.model.vocabulary = vocabulary;
        spec.model.hidden = 1000;
        spec.layout.tensor = tensor;
        spec.precision.compute = ComputeType::Float16;
        const QString remarks = print(remarksOn(spec));
        QVERIFY2(padded.isEmpty() ? remarks.isEmpty() : remarks.contains(padded), qPrintable(remarks));
        spec.launch.device = DeviceKind::Cpu;
        QCOMPARE(print(remarksOn(spec)), "");
        spec.launch.device = DeviceKind::Cuda;
        spec.precision.compute = ComputeType::Float32;
        QCOMPARE(print(remarksOn(spec)), "");
    }

    void tellsWhatHasNoEffect_data()
    {
        QTest::addColumn<QString>("json");
        QTest::addColumn<QString>("path");
        QTest::addRow("sequence") << R"("layout":{"sequence":true})"
                                  << "layout.sequence";
        QTest::addRow("schedule") << R"("layout":{"schedule":"gpipe"})"
                                  << "layout.schedule";
        QTest::addRow("partition") << R"("layout":{"partition":"cost"})"
                                   << "layout.partition";
        QTest::addRow("bucket size") << R"("layout":{"bucket_size":"1 MiB"})"
                                     << "layout.bucket_size";
        QTest::addRow("recompute_every") << R"("memory":{"recompute":"selective","recompute_every":2})"
                                         << "memory.recompute_every";
        QTest::addRow("zero_stage") << R"("memory":{"zero_stage":1})"
                                    << "memory.zero_stage";
        QTest::addRow("offload_horizon") << R"("memory":{"offload_horizon":2})"
                                         << "memory.offload_horizon";
        QTest::addRow("offload on a processor")
            << R"("memory":{"offload_optimizer":true},"launch":{"device":"cpu"})"
            << "memory.offload_optimizer";
        QTest::addRow("decay_power") << R"("optimizer":{"decay_power":2})"
                                     << "optimizer.decay_power";
        QTest::addRow("decay_steps") << R"("optimizer":{"decay_steps":2})"
                                     << "optimizer.decay_steps";
        QTest::addRow("decay_shape") << R"("optimizer":{"decay_shape":"linear"})"
                                     << "optimizer.decay_shape";
        QTest::addRow("every_steps") << R"("checkpoint":{"every_steps":101})"
                                     << "checkpoint.every_steps";
        QTest::addRow("vocabulary") << R"("precision":{"compute":"bfloat16"})"
                                    << "model.vocabulary";
        QTest::addRow("uneven stages")
            << R"("model":{"layers":3},"cluster":{"nodes":[{"slots":2}]},"layout":{"pipeline":2})"
            << "layout.pipeline";
    }
    void tellsWhatHasNoEffect()
    {
        QFETCH(QString, json);
        const ParsedSpec parsed =
            parseSpec(QString(R"({"trainyard":1,"dataset":{"path":"/d"},%1})").arg(json).toStdString());
        QCOMPARE(print(parsed.diagnostics) + print(validate(parsed.spec)), "");
        const Diagnostics remarks = remarksOn(parsed.spec);
        QCOMPARE(remarks.size(), std::size_t{1});
        QTEST(QString::fromStdString(remarks[0].path), "path");
        QCOMPARE(print(remarksOn(validSpec())), "");
    }

    void readsAWarmUpStableDecaySchedule()
    {
        const ParsedSpec parsed = parseSpec(R"({"trainyard":1,"dataset":{"path":"/d"},"launch":{"steps":20},
            "optimizer":{"schedule":"wsd","warmup_steps":5,"decay_steps":15,"decay_shape":"1-sqrt"}})");
        QCOMPARE(print(parsed.diagnostics) + print(validate(parsed.spec)) + print(remarksOn(parsed.spec)),
                 "");
        QVERIFY(parsed.spec.optimizer.schedule == ScheduleKind::WarmupStableDecay);
        QVERIFY(parsed.spec.optimizer.decayShape == DecayShape::OneMinusSqrt);
        QVERIFY(parseSpec(toJson(parsed.spec)).spec == parsed.spec);
        RunSpec longer = parsed.spec;
        longer.optimizer.decaySteps = 16;
        QCOMPARE(print(validate(longer)),
                 "optimizer.decay_steps: 16 decay steps after 5 warm-up steps do not fit into a run of 20 "
                 "steps | lower optimizer.decay_steps or optimizer.warmup_steps, or raise launch.steps");
    }

    /// Files of earlier versions stay as they are.
    void leavesOutLaterFieldsThatHaveTheirDefault()
    {
        const QString written = QString::fromStdString(toJson(validSpec()));
        QVERIFY(written.contains("decay_power"));
        QVERIFY(!written.contains("decay_steps") && !written.contains("decay_shape"));
        RunSpec changed = validSpec();
        changed.optimizer.decaySteps = 7;
        QCOMPARE(textOf(changesBetween(validSpec(), changed)), "optimizer.decay_steps 7");
        QCOMPARE(textOf(changesBetween(changed, validSpec())), "optimizer.decay_steps 0");
    }

    void refusesHostNamesThatCouldBeOptions()
    {
        RunSpec spec = validSpec();
        spec.cluster.nodes = {{"-oProxyCommand=x", 1, 0}};
        QCOMPARE(QString::fromStdString(validate(spec).front().path), "cluster.nodes[0].host");
    }

    void agreesWithTheSchemaOnEveryKey()
    {
        QFile file(QString(TRAINYARD_SOURCE_DIR) + "/resources/schema/run_spec.schema.json");
        QVERIFY(file.open(QIODevice::ReadOnly));
        const auto schema = nlohmann::json::parse(file.readAll().toStdString());
        RunSpec spec = validSpec();
        spec.model.preset = "bert-tiny";
        spec.cluster.nodes[0].memory = kGiB;
        spec.cluster.nodes[0].hardware = "cpu-node";
        spec.optimizer.decaySteps = 1;
        spec.optimizer.decayShape = DecayShape::Linear;
        spec.batch.ramp = {8, 8, 100};
        spec.dataset.mix = {MixedDataSet{"/data/books", 2}};
        spec.model.lora = {.rank = 2, .targets = {"query"}};
        PhaseSpec phase{.name = "second"}; // overrides every field of its sections
        phase.dataset = spec.dataset;
        phase.batch = spec.batch;
        phase.optimizer = spec.optimizer;
        for (const std::string& key : keysOf(nlohmann::json::parse(toJson(spec)))) {
            const std::string section = key.substr(1, key.find('.', 1) - 1);
            if (section == "dataset" || section == "batch" || section == "optimizer" || section == "memory")
                phase.named.insert(key.substr(1, key.find_first_of(".[", section.size() + 2) - 1));
        }
        spec.phases = {phase};
        const auto written = nlohmann::json::parse(toJson(spec));
        QCOMPARE(print(keysOf(written)), print(schemaKeysOf(schema)));
    }

    void loadsEveryPreset()
    {
        const auto names = modelPresetNames();
        QVERIFY(names.size() >= 4);
        QCOMPARE(QString::fromStdString(names.front()), "bert-tiny");
        for (const auto& name : names) {
            RunSpec spec = validSpec();
            spec.model = *modelPreset(name);
            QCOMPARE(print(validate(spec)), "");
        }
    }
};

QTEST_APPLESS_MAIN(TestSpec)
#include "tst_spec.moc"
