#include <QTest>

#include <algorithm>
#include <cmath>

#include "app/plan/evaluation_summary.h"
#include "app/plan/planned_run.h"
#include "engine/planner/hardware/hardware_presets.h"
#include "engine/planner/hardware/node_fit.h"
#include "engine/planner/partition/stage_division.h"
#include "engine/spec/presets.h"
#include "remote/launch/judge_spec.h"

using namespace trainyard;

namespace {

Result<NodeModel> preset(const std::string& name)
{
    if (auto node = nodePreset(name))
        return std::move(*node);
    return badInput("there is no hardware \"" + name + "\"");
}

NodeMemory nothingFound(const NodeSpec&)
{
    return {};
}

PlanInputs inputs()
{
    return {SequenceShape{512, 76}, preset, nothingFound};
}

/// BERT Large on two nodes of eight slots.
RunSpec bertOn(const std::string& first, const std::string& second)
{
    RunSpec spec;
    spec.model = *modelPreset("bert-large");
    spec.layout.data = 16;
    spec.batch = {256, 16, 1};
    spec.precision.compute = ComputeType::BFloat16;
    spec.launch.device = DeviceKind::Cuda;
    spec.launch.steps = 1000;
    spec.cluster.nodes = {{"a", 8, 0, first}, {"b", 8, 0, second}};
    return spec;
}

/// In two stages, a node each; the first one has most layers.
RunSpec unevenPipeline(const std::string& first, const std::string& second)
{
    RunSpec spec = bertOn(first, second);
    spec.dataset.path = "/data/wiki";
    spec.layout = {.data = 8, .pipeline = 2, .placement = "PDT"};
    spec.layout.partition = {PartitionKind::ByHand, {20, 4}};
    spec.batch = {1024, 32, 4};
    return spec;
}

/// Of each pipeline rank.
std::vector<Bytes> deviceNeeds(const RunSpec& spec)
{
    std::vector<Bytes> needs;
    for (const MemoryByCategory& bytes : memoryOfPipelineRanks(spec, inputs().shape))
        needs.push_back(needOf(bytes).onDevice);
    return needs;
}

DataSetManifest rowsOf(const RunSpec& spec)
{
    DataSetManifest data;
    data.sequenceLength = inputs().shape.length;
    data.maxPredictions = inputs().shape.maxPredictions;
    data.vocabularySize = spec.model.vocabulary;
    return data;
}

} // namespace

class TestPlannedRun : public QObject {
    Q_OBJECT

private slots:
    /// By hand from a batch's 2 % of 20 steps: 10 evaluations of 5 batches of 32 rows cost 20 of 1020 steps.
    void saysWhenARunEvaluates()
    {
        RunSpec spec;
        spec.launch.steps = 1000;
        QCOMPARE(evaluationSummary(spec, 1 << 20),
                 QString("Evaluates on 160 test rows every 100 steps, 10 times in all; takes about 2.0 % of "
                         "the time."));
        QVERIFY(evaluationSummary(spec, 0).contains("no test rows"));
        QVERIFY(evaluationSummary(spec, std::nullopt).contains("unknown"));
        spec.evaluation.everySteps = 5000;
        QVERIFY2(evaluationSummary(spec, 20).startsWith("Evaluates on 20 test rows once, after step 1"),
                 qPrintable(evaluationSummary(spec, 20)));
        spec.evaluation.batches = 0;
        QCOMPARE(evaluationSummary(spec, 20), QString("The run does not evaluate."));
        spec = {};
        spec.batch.global = 0; // while somebody types
        QCOMPARE(evaluationSummary(spec, 20), QString());
        spec = {};
        spec.phases.resize(2); // each has its own schedule
        QCOMPARE(evaluationSummary(spec, 20), QString());
    }

    void tellsTheTimeOfKnownHardware()
    {
        const PlannedRun plan = planRun(bertOn("hgx-a100", "hgx-a100"), inputs());
        QVERIFY(plan.hasTime());
        const PlannedTime& time = **plan.time;
        QVERIFY(time.step.seconds > 0.01 && time.step.seconds < 10);
        QCOMPARE(time.stats.sequencesPerSecond, 256 / time.step.seconds);
        QCOMPARE(time.node.devices, 8);
        QCOMPARE(plan.hosts.size(), std::size_t(2));
        QVERIFY(plan.hosts[0].perRank.has_value());
        QVERIFY(plan.fits());
    }

    void tellsNoTimeWhileANodeIsUnknown()
    {
        const PlannedRun plan = planRun(bertOn("hgx-a100", ""), inputs());
        QVERIFY(plan.time.ok());
        QVERIFY(!plan.hasTime());
        QVERIFY(!plan.hosts[1].perRank.has_value());
    }

    /// One that gets no rank need not be known.
    void onlyNodesWithRanksCount()
    {
        RunSpec spec = bertOn("hgx-a100", "");
        spec.layout.data = 8;
        spec.batch = {128, 16, 1};
        const PlannedRun plan = planRun(spec, inputs());
        QVERIFY(plan.hasTime());
        QCOMPARE(plan.hosts.size(), std::size_t(1));
    }

    void theSlowerNodeGoverns()
    {
        const auto seconds = [](const RunSpec& spec) {
            return (*planRun(spec, inputs()).time)->step.seconds;
        };
        const double fast = seconds(bertOn("hgx-h100", "hgx-h100"));
        const double slow = seconds(bertOn("hgx-a100", "hgx-a100"));
        const double mixed = seconds(bertOn("hgx-h100", "hgx-a100"));
        QVERIFY(mixed > fast * 1.2);
        QVERIFY(mixed >= slow * 0.98);
    }

    /// A pipeline's slow stage may have fewer layers.
    void everyStageTakesWhatItsOwnNodeTakes()
    {
        const auto seconds = [](const std::string& second, const std::vector<int>& layers) {
            RunSpec spec = bertOn("hgx-h100", second);
            spec.layout = {.data = 8, .pipeline = 2, .placement = "PDT"};
            spec.layout.partition = {PartitionKind::ByHand, layers};
            spec.batch = {1024, 32, 4};
            const PlannedTime time = **planRun(spec, inputs()).time;
            double causes = 0;
            for (const double cause : time.step.byCause)
                causes += cause;
            return std::abs(causes / time.step.seconds - 1) < 1e-9 ? time.step.seconds : -1;
        };
        QVERIFY(seconds("hgx-h100", {12, 12}) > 0);
        QVERIFY(seconds("hgx-a100", {14, 10}) < seconds("hgx-a100", {12, 12}));
        QVERIFY(seconds("hgx-h100", {14, 10}) > seconds("hgx-h100", {12, 12}));
    }

    void namesHardwareThatIsNone()
    {
        const PlannedRun plan = planRun(bertOn("hgx-a100", "abacus"), inputs());
        QVERIFY(!plan.time.ok());
        QVERIFY(QString::fromStdString(plan.time.error().text()).contains("abacus"));
        QVERIFY(plan.memory.total() > 0);
    }

    /// Whatever is typed into a form; a data set need not be chosen for it.
    void tellsNoTimeOfAnInvalidStep()
    {
        RunSpec spec = bertOn("hgx-a100", "hgx-a100");
        spec.model.heads = 0;
        const PlannedRun plan = planRun(spec, inputs());
        QVERIFY(!plan.time.ok());
        QVERIFY(QString::fromStdString(plan.time.error().text()).contains("model.heads"));
    }

    void tellsNoTimeOfSlotsAndDevicesThatTheHardwareHasNot_data()
    {
        QTest::addColumn<QByteArray>("hardware");
        QTest::addColumn<int>("slotCount");
        QTest::addColumn<int>("device");
        QTest::addColumn<QByteArray>("path");
        QTest::addRow("slots") << QByteArray("hgx-a100") << 16 << int(DeviceKind::Auto)
                               << QByteArray("cluster.nodes[0].slots: 16 slots, but hgx-a100 has 8 devices");
        QTest::addRow("cores are shared")
            << QByteArray("cpu-node") << 64 << int(DeviceKind::Auto) << QByteArray();
        QTest::addRow("processors") << QByteArray("hgx-a100") << 8 << int(DeviceKind::Cpu)
                                    << QByteArray("launch.device: cpu, but hgx-a100");
        QTest::addRow("accelerators") << QByteArray("cpu-node") << 8 << int(DeviceKind::Cuda)
                                      << QByteArray("launch.device: cuda, but cpu-node");
    }
    void tellsNoTimeOfSlotsAndDevicesThatTheHardwareHasNot()
    {
        QFETCH(QByteArray, hardware);
        QFETCH(int, slotCount);
        QFETCH(int, device);
        QFETCH(QByteArray, path);
        RunSpec spec = bertOn(hardware.toStdString(), hardware.toStdString());
        spec.cluster.nodes[0].slotCount = slotCount;
        spec.launch.device = static_cast<DeviceKind>(device);
        const PlannedRun plan = planRun(spec, inputs());
        QCOMPARE(plan.time.ok(), path.isEmpty());
        QVERIFY2(plan.time.ok() || plan.time.error().text().find(path.toStdString()) != std::string::npos,
                 plan.time.ok() ? "" : plan.time.error().text().c_str());
    }

    void refusesWhatTheHardwareCannotHold()
    {
        RunSpec spec = bertOn("p3.16xlarge", "p3.16xlarge");
        spec.batch = {4096, 256, 1};
        QVERIFY(!planRun(spec, inputs()).fits());
    }

    void leavesRoomForTheProgram()
    {
        const PlannedRun plan = planRun(bertOn("hgx-a100", ""), inputs());
        QVERIFY(plan.hosts[0].capacity() < plan.hosts[0].perRank);
        QVERIFY(!plan.hosts[1].capacity()); // unknown
    }

    /// A check of the real host knows better than the name of its hardware.
    void whatWasFoundComesFirst()
    {
        PlanInputs found = inputs();
        found.found = [](const NodeSpec&) { return NodeMemory{std::nullopt, std::vector(8, 2 * kGiB)}; };
        const PlannedRun plan = planRun(bertOn("hgx-a100", "hgx-a100"), found);
        QCOMPARE(plan.hosts[0].perRank.value(), 2 * kGiB);
        QVERIFY(!plan.fits());
    }

    void looksAtHostsOnceForEachNumberOfRanks()
    {
        int looks = 0;
        PlanInputs counted = inputs();
        counted.found = [&](const NodeSpec&) {
            ++looks;
            return NodeMemory();
        };
        const PlanFacts facts = planFacts(counted, std::nullopt);
        RunSpec spec = bertOn("hgx-a100", "hgx-a100");
        const auto hosts = facts.hosts(spec);
        QCOMPARE(hosts.size(), std::size_t(2));
        QCOMPARE(*hosts[0].perRank, planRun(spec, inputs()).hosts[0].perRank.value());
        spec.memory.zeroStage = 1;
        (void)facts.hosts(spec);
        QCOMPARE(looks, 2);
        spec.layout.data = 8;
        QCOMPARE(facts.hosts(spec).size(), std::size_t(1));
        spec.launch.device = DeviceKind::Cpu; // ranks compute in the host's memory then
        QVERIFY(facts.hosts(spec)[0].perRank != hosts[0].perRank);
    }

    // Optimizer states of 1.5 billion parameters for eight ranks are more than a host of 8 GiB has.
    void countsWhatIsOffloadedAgainstTheHost()
    {
        RunSpec spec = bertOn("small", "small");
        spec.model = *modelPreset("gpt2-xl");
        spec.memory.offloadOptimizer = true;
        PlanInputs small = inputs();
        small.hardware = [](const std::string&) {
            Result<NodeModel> node = preset("hgx-a100");
            node->hostMemory = 8 * kGiB;
            return node;
        };
        const PlannedRun plan = planRun(spec, small);
        QVERIFY(!plan.fits());
        const std::string refusal = plan.shortage->error().text();
        QVERIFY2(refusal.find("of host memory") != std::string::npos, refusal.c_str());
    }

    // Devices were found and nobody said what they are: what is offloaded does not lie on them.
    void offloadedStatesNeedNoRoomOnFoundDevices()
    {
        RunSpec spec = bertOn("", "");
        spec.memory.offloadOptimizer = true;
        const RankNeed need = estimateMemory(spec, inputs().shape).need();
        QVERIFY(need.onHost > 0);
        PlanInputs found = inputs();
        found.found = [&](const NodeSpec&) {
            return NodeMemory{std::nullopt, std::vector(8, need.onDevice)};
        };
        QVERIFY(planRun(spec, found).fits());
    }

    /// The small host has the stage with few layers; then, where hosts are exchanged, the other one.
    void planLaunchAndExplanationAgreeOnUnequalHosts()
    {
        const RunSpec spec = unevenPipeline("", "");
        const std::vector<Bytes> needs = deviceNeeds(spec);
        QVERIFY(needs[0] > needs[1]);
        const auto answersWith = [&](Bytes first, Bytes second) {
            const std::vector<NodeMemory> memory{{std::nullopt, std::vector(8, first)},
                                                 {std::nullopt, std::vector(8, second)}};
            PlanInputs found = inputs();
            found.found = [&](const NodeSpec& node) { return memory[node.host == "a" ? 0 : 1]; };
            const auto problems = explainPlan(spec, planFacts(found, std::nullopt));
            const auto judged = judgeSpec(spec, rowsOf(spec), memory);
            QStringList refusals;
            if (const PlannedRun plan = planRun(spec, found); !plan.fits())
                refusals << QString::fromStdString(plan.shortage->error().message);
            if (!problems.empty())
                refusals << QString::fromStdString(problems.front().problem.message);
            if (!judged.ok())
                refusals << QString::fromStdString(judged.error().message);
            return refusals;
        };
        QCOMPARE(answersWith(needs[0], needs[1]), QStringList());
        const QStringList refusals = answersWith(needs[1], needs[0]);
        QCOMPARE(refusals.size(), 3);
        for (const QString& refusal : refusals)
            QVERIFY2(refusal.contains(refusals[0]) && refusal.contains(", but a has "), qPrintable(refusal));
    }

    void partitionAgreesOnUnequalHardware()
    {
        const RunSpec spec = unevenPipeline("large", "small");
        const std::vector<Bytes> needs = deviceNeeds(spec);
        const auto nodeFor = [](Bytes need) {
            NodeModel node = *nodePreset("hgx-a100");
            node.device.memory = Bytes(double(need) / kUsableShare) + 2;
            return node;
        };
        for (const Bytes small : {needs[1], needs[1] - kMiB}) {
            PlanInputs named = inputs();
            named.hardware = [&](const std::string& name) -> Result<NodeModel> {
                return nodeFor(name == "large" ? needs[0] : small);
            };
            const auto nodes = pipelineNodes(spec, {nodeFor(needs[0]), nodeFor(small)});
            const auto divisions = divideStages(spec, named.shape, *nodes);
            const auto asked =
                std::ranges::find(*divisions, spec.layout.partition.layerCounts, &StageDivision::layerCounts);
            QCOMPARE(asked->fits, small == needs[1]);
            QCOMPARE(planRun(spec, named).fits(), small == needs[1]);
        }
    }

    /// validate() refuses it, and a form plans it while it is typed.
    void aNodeWithoutSlotsIsPassedOver()
    {
        RunSpec spec = unevenPipeline("hgx-h100", "hgx-a100");
        const PlannedRun plan = planRun(spec, inputs());
        spec.cluster.nodes.insert(spec.cluster.nodes.begin(), {"none", 0, 0, "p3.16xlarge"});
        const PlannedRun passing = planRun(spec, inputs());
        QCOMPARE(passing.hosts.size(), plan.hosts.size());
        QCOMPARE(passing.hosts[0].perRank, plan.hosts[0].perRank);
        QCOMPARE(passing.hosts[1].node, std::size_t(2));
        QVERIFY(passing.hasTime());
        QCOMPARE((*passing.time)->step.seconds, (*plan.time)->step.seconds);
    }
};

QTEST_GUILESS_MAIN(TestPlannedRun)
#include "tst_planned_run.moc"
