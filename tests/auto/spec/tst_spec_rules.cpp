#include <QTest>

#include <limits>

#include "engine/spec/remarks.h"
#include "engine/spec/spec_json.h"
#include "engine/spec/validate.h"
#include "tests/auto/spec/problem_text.h"

using namespace trainyard;

/// Rules of a specification that need neither its data set nor its hosts.
class TestSpecRules : public QObject {
    Q_OBJECT

private slots:
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

    void sharesExpertsEvenly()
    {
        RunSpec spec = validSpec();
        spec.cluster.nodes.front().slotCount = 8;
        spec.layout = {.data = 8, .expert = 4};
        spec.batch = {8, 1, 1};
        QVERIFY(
            print(validate(spec)).contains("layout.expert: 4 ranks cannot share experts of a model that"));
        spec.model.setFamily(ModelFamily::Mixtral);
        spec.model.experts = {.count = 12, .perToken = 2};
        QCOMPARE(print(validate(spec)), "");
        spec.layout.expert = 3;
        QVERIFY(print(validate(spec)).contains("8 data-parallel ranks cannot be divided into groups of 3"));
        spec.layout.expert = 8;
        QVERIFY(print(validate(spec)).contains("12 experts cannot be shared evenly by 8 ranks"));
        QVERIFY(print(validate(spec)).contains("use 4"));
    }

    void sharesStatesEvenly()
    {
        RunSpec spec = validSpec();
        spec.cluster.nodes.front().slotCount = 12;
        spec.layout = {.data = 6, .context = 2, .shard = 4};
        spec.batch = {6, 1, 1};
        spec.memory.zeroStage = 1;
        QCOMPARE(print(validate(spec)), "");
        spec.layout.shard = 5;
        QVERIFY(print(validate(spec))
                    .contains("layout.shard: 12 data-parallel ranks cannot be divided into groups of 5"));
        QVERIFY(print(validate(spec)).contains("use 4, or 0 for all"));
        spec.layout.shard = 24;
        QVERIFY(print(validate(spec)).contains("layout.shard: 12 data-parallel ranks cannot be divided"));
    }

    void givesEachCopyOfTheStatesAllExpertsEquallyOften()
    {
        RunSpec spec = validSpec();
        spec.model.setFamily(ModelFamily::Mixtral);
        spec.model.experts = {.count = 12, .perToken = 2};
        spec.cluster.nodes.front().slotCount = 12;
        spec.layout = {.data = 12, .expert = 4};
        spec.batch = {12, 1, 1};
        spec.memory.zeroStage = 3;
        for (const int shard : {1, 2, 4, 12}) {
            spec.layout.shard = shard;
            QCOMPARE(print(validate(spec)), "");
        }
        for (const int shard : {3, 6}) {
            spec.layout.shard = shard;
            QVERIFY(print(validate(spec))
                        .contains(QString("groups of %1 ranks would have some experts more often than others")
                                      .arg(shard)));
        }
        spec.layout.expertPlacement = ExpertPlacement::Outer; // three neighbours have the same experts
        spec.layout.shard = 6;
        QCOMPARE(print(validate(spec)), "");
        spec.layout.shard = 4;
        QVERIFY(print(validate(spec)).contains("use a multiple of 3"));
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

    void devicesOfAHostAreNamedOnceAndSuffice_data()
    {
        QTest::addColumn<std::vector<std::string>>("devices");
        QTest::addColumn<QString>("problem");
        using Devices = std::vector<std::string>;
        QTest::addRow("any") << Devices() << "";
        QTest::addRow("indices and names")
            << Devices{"0", "GPU-8932f937", "MIG-4b5c", "MIG-GPU-1f/7/0"} << "";
        QTest::addRow("nonsense") << Devices{"0", "gpu1"} << R"("gpu1" is not a device)";
        QTest::addRow("a shell") << Devices{"0", "GPU-$(reboot)"} << "is not a device";
        QTest::addRow("negative") << Devices{"0", "-1"} << R"("-1" is not a device)";
        QTest::addRow("twice") << Devices{"0", "1", "1"} << R"("1" is named twice)";
        QTest::addRow("too few") << Devices{"0"} << "has 1 device for 2 slots";
    }
    void devicesOfAHostAreNamedOnceAndSuffice()
    {
        QFETCH(std::vector<std::string>, devices);
        QFETCH(QString, problem);
        RunSpec spec = validSpec();
        spec.cluster.nodes = {NodeSpec{"a", 2, 0, "", devices}, NodeSpec{"b", spec.layout.worldSize(), 0}};
        const QString found = print(validate(spec));
        QVERIFY2(problem.isEmpty() ? !found.contains("devices") : found.contains(problem), qPrintable(found));
        if (!problem.isEmpty())
            QVERIFY2(found.contains("cluster.nodes[0].devices"), qPrintable(found));
        spec.cluster.nodes = {
            NodeSpec{"a", spec.layout.worldSize(), 0, "", {"0", "1", "2", "3", "4", "5", "6", "7"}}};
        spec.launch.launcher = LauncherKind::Slurm;
        QVERIFY(print(validate(spec)).contains("whose devices Slurm chooses"));
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

    void refusesHostNamesThatCouldBeOptions()
    {
        RunSpec spec = validSpec();
        spec.cluster.nodes = {{"-oProxyCommand=x", 1, 0}};
        QCOMPARE(QString::fromStdString(validate(spec).front().path), "cluster.nodes[0].host");
    }
};

QTEST_APPLESS_MAIN(TestSpecRules)
#include "tst_spec_rules.moc"
