#include <QTest>

#include <cmath>

#include "app/models/planned_run.h"
#include "engine/planner/hardware/hardware_presets.h"
#include "engine/spec/presets.h"

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

} // namespace

class TestPlannedRun : public QObject {
    Q_OBJECT

private slots:
    void tellsTheTimeOfKnownHardware()
    {
        const PlannedRun plan = planRun(bertOn("hgx-a100", "hgx-a100"), inputs());
        QVERIFY(plan.hasTime());
        const PlannedTime& time = **plan.time;
        QVERIFY(time.step.seconds > 0.01 && time.step.seconds < 10);
        QCOMPARE(time.figures.sequencesPerSecond, 256 / time.step.seconds);
        QCOMPARE(time.node.devices, 8);
        QCOMPARE(plan.hosts.size(), std::size_t(2));
        QVERIFY(plan.hosts[0].perRank.has_value());
        QVERIFY(plan.fits.ok());
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

    void refusesWhatTheHardwareCannotHold()
    {
        RunSpec spec = bertOn("p3.16xlarge", "p3.16xlarge");
        spec.batch = {4096, 256, 1};
        QCOMPARE(int(planRun(spec, inputs()).fits.error().kind), int(ErrorKind::Refused));
    }

    void leavesRoomForTheProgram()
    {
        const PlannedRun plan = planRun(bertOn("hgx-a100", ""), inputs());
        QVERIFY(plan.rooms[0].perRank < plan.hosts[0].perRank);
        QVERIFY(!plan.rooms[1].perRank); // unknown
    }

    /// A check of the real host knows better than the name of its hardware.
    void whatWasFoundComesFirst()
    {
        PlanInputs found = inputs();
        found.found = [](const NodeSpec&) { return NodeMemory{std::nullopt, std::vector(8, 2 * kGiB)}; };
        const PlannedRun plan = planRun(bertOn("hgx-a100", "hgx-a100"), found);
        QCOMPARE(plan.hosts[0].perRank.value(), 2 * kGiB);
        QVERIFY(!plan.fits.ok());
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
        QVERIFY(!plan.fits.ok());
        QVERIFY2(plan.fits.error().text().find("of its host's memory") != std::string::npos,
                 plan.fits.error().text().c_str());
    }
};

QTEST_GUILESS_MAIN(TestPlannedRun)
#include "tst_planned_run.moc"
