#include <QFile>
#include <QTest>

#include <set>

#include <nlohmann/json.hpp>

#include "engine/spec/field_changes.h"
#include "engine/spec/presets.h"
#include "engine/spec/remarks.h"
#include "engine/spec/spec_json.h"
#include "engine/spec/validate.h"
#include "tests/auto/spec/problem_text.h"

using namespace trainyard;

namespace {

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

/// Every field that is written only where it differs from its default.
void describeOtherwise(ModelSpec& model)
{
    model.keyValueHeads = 1;
    model.headWidth = 2;
    model.normKind = NormKind::RmsNorm;
    model.normBiases = false;
    model.attentionBiases = AttentionBiases::None;
    model.feedForwardBiases = false;
    model.queryKeyNorm = QueryKeyNorm::Head;
    model.parallelResidual = true;
    model.window = 3;
    model.globalEvery = 2;
    model.globalFirst = 1;
    model.globalLeading = 1;
    model.queryScaleWidth = 4;
    model.scoreCap = 5;
    model.logitCap = 6;
    model.scaledEmbeddings = true;
    model.embeddingNorm = false;
    model.firstLayerNorm = false;
    model.positionOffset = 2;
    model.paddingWord = -1;
    model.transformBias = false;
    model.rope = {.base = 500,
                  .windowBase = 400,
                  .share = 0.5,
                  .scaling = RopeScaling::Yarn,
                  .factor = 2,
                  .originalPositions = 8,
                  .lowFrequencyFactor = 2,
                  .highFrequencyFactor = 3,
                  .betaFast = 16,
                  .betaSlow = 2,
                  .attentionFactor = 1.5};
    model.experts = {.count = 4,
                     .perToken = 3,
                     .width = 7,
                     .every = 2,
                     .normalized = false,
                     .balanceLoss = 0.5,
                     .zLoss = 0.25};
}

} // namespace

/// Specifications as JSON: reading, writing, and the schema.
class TestSpec : public QObject {
    Q_OBJECT

private slots:
    void readsBackWhatItWrote()
    {
        RunSpec spec = validSpec();
        spec.name = "bert-large.phase_1";
        spec.model = *modelPreset("bert-large");
        spec.cluster.nodes = {{"gpu-01", 8, 80 * kGiB, "hgx-a100"},
                              {"me@gpu-02:2222", 4, 0, "", {"3", "GPU-5f2a"}}};
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
        spec.launch.waitForDevices = true;
        spec.launch.collectiveTimeout = std::chrono::seconds(90);
        spec.launch.network = "fd00:1::/64";
        spec.launch.ports = "20000-20063";
        const ParsedSpec parsed = parseSpec(toJson(spec));
        QCOMPARE(print(parsed.diagnostics), "");
        QVERIFY(parsed.spec == spec);
    }

    // What equals the field's own default is written where the family's is another.
    void keepsWhatAFamilyWouldChange()
    {
        RunSpec moe;
        moe.model.setFamily(ModelFamily::Qwen3Moe);
        moe.model.experts.perToken = ExpertSpec().perToken;
        QVERIFY(parseSpec(toJson(moe)).spec == moe);
        RunSpec encoder;
        encoder.model.setFamily(ModelFamily::ModernBert);
        encoder.model.rope.base = RopeSpec().base;
        QVERIFY(parseSpec(toJson(encoder)).spec == encoder);
    }

    void portsSufficeForTheRanksOfAHost_data()
    {
        QTest::addColumn<QString>("network");
        QTest::addColumn<QString>("ports");
        QTest::addColumn<QString>("problem");
        QTest::addRow("neither") << ""
                                 << ""
                                 << "";
        QTest::addRow("a port for each rank and one for MPI") << "10.1.0.0/16"
                                                              << "20000-20004"
                                                              << "";
        QTest::addRow("too few") << ""
                                 << "20000-20003"
                                 << "launch.ports: has 4 ports, and a has 4 slots";
        QTest::addRow("reversed") << ""
                                  << "20063-20000"
                                  << "launch.ports: \"20063-20000\" is not a range";
        QTest::addRow("one port") << ""
                                  << "20000"
                                  << "launch.ports: \"20000\" is not a range";
        QTest::addRow("privileged") << ""
                                    << "22-100"
                                    << "launch.ports: \"22-100\" is not a range";
        QTest::addRow("beyond the last") << ""
                                         << "65000-65536"
                                         << "launch.ports: \"65000-65536\" is not";
        QTest::addRow("an option") << "--mca"
                                   << ""
                                   << "launch.network: \"--mca\" is neither";
        QTest::addRow("a list") << "eth0 eth1"
                                << ""
                                << "launch.network: \"eth0 eth1\" is neither";
        QTest::addRow("IPv6") << "fd00:1::/64"
                              << ""
                              << "";
    }
    void portsSufficeForTheRanksOfAHost()
    {
        QFETCH(QString, network);
        QFETCH(QString, ports);
        QFETCH(QString, problem);
        RunSpec spec;
        spec.dataset.path = "/data";
        spec.cluster.nodes = {{"a", 4, 0}};
        spec.layout.data = 4;
        spec.batch = {32, 8, 1};
        spec.launch.network = network.toStdString();
        spec.launch.ports = ports.toStdString();
        const Diagnostics found = validate(spec);
        QCOMPARE(found.size(), std::size_t(problem.isEmpty() ? 0 : 1));
        if (!found.empty())
            QVERIFY2(found.front().text().starts_with(problem.toStdString()), found.front().text().c_str());
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

    void agreesWithTheSchemaOnEveryKey()
    {
        QFile file(QString(TRAINYARD_SOURCE_DIR) + "/resources/schema/run_spec.schema.json");
        QVERIFY(file.open(QIODevice::ReadOnly));
        const auto schema = nlohmann::json::parse(file.readAll().toStdString());
        RunSpec spec = validSpec();
        spec.model.preset = "bert-tiny";
        spec.cluster.nodes[0].memory = kGiB;
        spec.cluster.nodes[0].hardware = "cpu-node";
        spec.cluster.nodes[0].devices = {"0"};
        spec.optimizer.decaySteps = 1;
        spec.optimizer.decayShape = DecayShape::Linear;
        spec.checkpoint.copies = 0;
        spec.launch.mpi = MpiSource::Node;
        spec.launch.waitForDevices = true;
        spec.launch.collectiveTimeout = std::chrono::seconds(90);
        spec.launch.network = "10.1.0.0/16";
        spec.launch.ports = "20000-20063";
        spec.batch.ramp = {8, 8, 100};
        spec.dataset.mix = {MixedDataSet{"/data/books", 2}};
        spec.model.lora = {.rank = 2, .targets = {"query"}};
        describeOtherwise(spec.model);
        spec.layout.expert = 2;
        spec.layout.expertPlacement = ExpertPlacement::Outer;
        spec.layout.shard = 2;
        PhaseSpec phase{.name = "second"}; // overrides every field of its sections
        phase.dataset = spec.dataset;
        phase.batch = spec.batch;
        phase.optimizer = spec.optimizer;
        const std::set<std::string> overridden{"dataset", "batch", "optimizer", "memory", "evaluation"};
        for (const std::string& key : keysOf(nlohmann::json::parse(toJson(spec)))) {
            const std::string section = key.substr(1, key.find('.', 1) - 1);
            if (overridden.contains(section))
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
