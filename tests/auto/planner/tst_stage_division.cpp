#include <QTest>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>

#include "engine/planner/hardware/hardware_presets.h"
#include "engine/planner/hardware/node_fit.h"
#include "engine/planner/layout/stage_costs.h"
#include "engine/planner/memory/memory_model.h"
#include "engine/planner/partition/arrangement.h"
#include "engine/planner/partition/distinct_placements.h"
#include "engine/planner/partition/part_costs_json.h"
#include "engine/planner/partition/rank_balance.h"
#include "engine/planner/time/step_model.h"
#include "engine/spec/presets.h"

using namespace trainyard;

namespace {

constexpr SequenceShape kDividedShape{1024, 0};

/// A GPT of GPT-2 XL's width in a pipeline of one stage a node: the last one has a head as long as two
/// layers.
RunSpec divided(int layers, int nodes)
{
    RunSpec spec;
    spec.model = *modelPreset("gpt2-xl");
    spec.model.layers = layers;
    spec.model.heads = 20;
    spec.model.vocabulary = 50304;
    spec.layout.pipeline = nodes;
    spec.layout.data = 8;
    spec.layout.placement = "PDT";
    spec.batch = {8 * 2 * 32, 2, 32};
    spec.launch.device = DeviceKind::Cuda;
    spec.precision.compute = ComputeType::BFloat16;
    spec.cluster.nodes.clear();
    for (int i = 0; i < nodes; ++i)
        spec.cluster.nodes.push_back({.host = "node-" + std::to_string(i), .slotCount = 8});
    return spec;
}

NodeModel node(double slowness = 1, Bytes memory = 80 * kGiB)
{
    NodeModel model = *nodePreset("hgx-a100");
    model.device.peak.bfloat16 /= slowness;
    model.device.memoryBandwidth /= slowness;
    model.device.kernelTime *= slowness;
    model.device.launchTime = 0;
    model.device.memory = memory;
    return model;
}

std::vector<PipelineNode> nodesOf(const RunSpec& spec, const std::vector<NodeModel>& nodes)
{
    return pipelineNodes(spec, nodes).value();
}

RunSpec withCounts(RunSpec spec, const std::vector<int>& counts)
{
    spec.layout.partition = {PartitionKind::ByHand, counts};
    return spec;
}

double stepOf(const RunSpec& spec, const std::vector<int>& counts, const std::vector<NodeModel>& nodes)
{
    return timeStages(withCounts(spec, counts), kDividedShape, nodesOf(spec, nodes)).value().step;
}

bool fitsEverywhere(const RunSpec& spec, const std::vector<NodeModel>& nodes)
{
    const std::vector<MemoryByCategory> needs = memoryOfPipelineRanks(spec, kDividedShape);
    for (std::size_t rank = 0; rank < needs.size(); ++rank) {
        const HostMemory host = onHardware({.host = "a", .ranks = 8}, nodes[rank], DeviceKind::Auto);
        if (!host.holds(needOf(needs[rank])))
            return false;
    }
    return true;
}

/// All ways to deal `layers` layers to `stages` stages.
std::vector<std::vector<int>> allDivisions(int layers, int stages)
{
    if (stages == 1)
        return {{layers}};
    std::vector<std::vector<int>> all;
    for (int own = 1; own <= layers - stages + 1; ++own) {
        for (std::vector<int> rest : allDivisions(layers - own, stages - 1)) {
            rest.insert(rest.begin(), own);
            all.push_back(std::move(rest));
        }
    }
    return all;
}

} // namespace

class TestStageDivision : public QObject {
    Q_OBJECT

private slots:
    void takesAsLongAsTheModelOnEqualNodes_data()
    {
        QTest::addColumn<PipelineScheduleKind>("schedule");
        QTest::addColumn<int>("chunks");
        QTest::addRow("1F1B") << PipelineScheduleKind::OneForwardOneBackward << 1;
        QTest::addRow("interleaved") << PipelineScheduleKind::Interleaved << 2;
        QTest::addRow("zero-bubble") << PipelineScheduleKind::ZeroBubble << 1;
    }
    void takesAsLongAsTheModelOnEqualNodes()
    {
        RunSpec spec = divided(12, 4);
        QFETCH(PipelineScheduleKind, schedule);
        QFETCH(int, chunks);
        spec.layout.schedule = schedule;
        spec.layout.virtualStages = chunks;
        const std::vector<NodeModel> nodes(4, node());
        const StageTimes times = timeStages(spec, kDividedShape, nodesOf(spec, nodes)).value();
        const StepTime planned = StepModel::create(spec, kDividedShape, node())->estimate();
        QCOMPARE(times.step, planned.seconds);
        const StepTime step = timeStep(spec, kDividedShape, nodesOf(spec, nodes)).value();
        QCOMPARE(step.seconds, planned.seconds);
        QVERIFY(step.byCause == planned.byCause);
        QCOMPARE(times.slowness, std::vector<double>(times.slowness.size(), 1));
    }

    void knowsTheNodeOfEachPipelineRank()
    {
        RunSpec spec = divided(12, 2);
        const std::vector<NodeModel> nodes{node(), node(2)};
        std::vector<PipelineNode> found = nodesOf(spec, nodes);
        QVERIFY(found[0].node.device.peak.bfloat16 > found[1].node.device.peak.bfloat16);
        spec.layout.placement = "DPT"; // both pipeline ranks have replicas on both nodes
        found = nodesOf(spec, nodes);
        QVERIFY(found[0] == found[1]);
        QCOMPARE(found[0].node.device.peak.bfloat16, nodes[1].device.peak.bfloat16);
        spec.cluster.nodes.back().slotCount = 7;
        QCOMPARE(pipelineNodes(spec, nodes).error().kind, ErrorKind::Refused);
    }

    // The head of GPT-2's vocabulary takes as long as some layers: its stage gets fewer.
    void shortensTheStageOfTheHead()
    {
        const RunSpec spec = divided(24, 4);
        const std::vector<NodeModel> nodes(4, node());
        const std::vector<int> counts = layersByTime(spec, kDividedShape, nodesOf(spec, nodes)).value();
        QCOMPARE(std::accumulate(counts.begin(), counts.end(), 0), 24);
        QVERIFY(counts.back() < counts.front());
        QVERIFY(stepOf(spec, counts, nodes) < stepOf(spec, {6, 6, 6, 6}, nodes));
    }

    void namesTheCausesOfTheBusiestRank()
    {
        const RunSpec spec = withCounts(divided(12, 3), {4, 4, 4});
        const StepTime slow = timeStep(spec, kDividedShape, nodesOf(spec, {node(), node(3), node()})).value();
        const StepTime all =
            timeStep(spec, kDividedShape, nodesOf(spec, {node(3), node(3), node(3)})).value();
        QVERIFY(std::abs(sum(slow.byCause) / slow.seconds - 1) < 1e-9);
        QVERIFY(slow.seconds < all.seconds);
        QVERIFY(slow.byCause[static_cast<std::size_t>(StepCause::Products)] >
                0.5 * all.byCause[static_cast<std::size_t>(StepCause::Products)]);
    }

    void givesASlowNodeFewerLayers()
    {
        const RunSpec spec = divided(24, 3);
        const std::vector<NodeModel> nodes{node(), node(3), node()};
        const std::vector<int> counts = layersByTime(spec, kDividedShape, nodesOf(spec, nodes)).value();
        QVERIFY(counts[1] < counts[0] && counts[1] < counts[2]);
        QVERIFY(stepOf(spec, counts, nodes) < 0.6 * stepOf(spec, {8, 8, 8}, nodes));
    }

    // The longest stage decides but for filling the pipeline: within that of the best of all.
    void findsNothingBetterByTryingAll()
    {
        std::mt19937 random(5);
        std::uniform_real_distribution<double> slowness(1, 3);
        for (int round = 0; round < 12; ++round) {
            const int stages = 2 + round % 3;
            const RunSpec spec = divided(10, stages);
            std::vector<NodeModel> nodes;
            for (int i = 0; i < stages; ++i)
                nodes.push_back(node(slowness(random)));
            double best = std::numeric_limits<double>::infinity();
            for (const std::vector<int>& counts : allDivisions(10, stages))
                best = std::min(best, stepOf(spec, counts, nodes));
            const std::vector<int> counts = layersByTime(spec, kDividedShape, nodesOf(spec, nodes)).value();
            QVERIFY2(stepOf(spec, counts, nodes) <= 1.05 * best, qPrintable(QString::number(round)));
        }
    }

    // Chunks of a rank wait for each other, which neither stages nor ranks by themselves tell.
    void findsNothingMuchBetterForSeveralChunks()
    {
        for (int layers = 9; layers < 18; ++layers) {
            RunSpec spec = divided(layers, 2);
            spec.layout.schedule = PipelineScheduleKind::Interleaved;
            spec.layout.virtualStages = 2;
            const std::vector<NodeModel> nodes{node(), node(layers % 2 == 0 ? 1 : 1.7)};
            double best = std::numeric_limits<double>::infinity();
            for (const std::vector<int>& counts : allDivisions(layers, 4))
                best = std::min(best, stepOf(spec, counts, nodes));
            const std::vector<int> counts = layersByTime(spec, kDividedShape, nodesOf(spec, nodes)).value();
            const double above = stepOf(spec, counts, nodes) / best - 1;
            qInfo("%d layers: %.1f %% above the best", layers, 100 * above);
            QVERIFY(above < 0.06);
        }
    }

    // Stages 0 and 2 are on the first rank.
    void balancesRanksRatherThanStages()
    {
        const PartCosts costs{0, std::vector<double>(10, 1.0), 3};
        QCOMPARE(balancedRanks({3, 3, 3, 1}, 2, costs, {}), (std::vector<int>{3, 3, 3, 1})); // 6 and 7
        QCOMPARE(balancedRanks({3, 2, 4, 1}, 2, costs, {}), (std::vector<int>{3, 2, 4, 1})); // 7 and 6
        const std::vector<int> even = balancedRanks({2, 3, 2, 3}, 2, costs, {});             // 4 and 9
        QVERIFY(std::abs(even[0] + even[2] - 6.5) == 0.5);
        const StageDevices rooms{{}, {2, 9, 3, 9}};
        const std::vector<int> roomy = balancedRanks({1, 4, 1, 4}, 2, costs, rooms);
        QVERIFY(roomy[0] <= 2 && roomy[2] <= 3);
        QCOMPARE(roomy[0] + roomy[2], 5);
    }

    // Of all that fit, none has a shorter longest stage.
    void fitsEveryNode()
    {
        std::mt19937 random(9);
        std::uniform_int_distribution<int> gibibytes(3, 13);
        int refused = 0;
        int limited = 0;
        for (int round = 0; round < 24; ++round) {
            const RunSpec spec = divided(12, 3);
            std::vector<NodeModel> nodes;
            for (int i = 0; i < 3; ++i)
                nodes.push_back(node(1, static_cast<Bytes>(gibibytes(random)) * kGiB));
            const std::vector<PipelineNode> ranks = nodesOf(spec, nodes);
            const PartCosts parts = timeStages(spec, kDividedShape, ranks).value().parts;
            const auto longest = [&](const std::vector<int>& counts) {
                return std::ranges::max(stageLoads(parts, counts));
            };
            double best = std::numeric_limits<double>::infinity();
            for (const std::vector<int>& counts : allDivisions(12, 3)) {
                if (fitsEverywhere(withCounts(spec, counts), nodes))
                    best = std::min(best, longest(counts));
            }
            const auto counts = layersByTime(spec, kDividedShape, ranks);
            QCOMPARE(counts.ok(), std::isfinite(best));
            if (!counts.ok()) {
                QCOMPARE(counts.error().kind, ErrorKind::Refused);
                ++refused;
                continue;
            }
            QVERIFY(fitsEverywhere(withCounts(spec, *counts), nodes));
            QCOMPARE(longest(*counts), best);
            limited += longest(*counts) > longest(partitionLayers(parts, 3).value()) ? 1 : 0;
        }
        QVERIFY(refused > 0 && limited > 0);
    }

    void prefersMeasuredSeconds()
    {
        const RunSpec spec = divided(8, 2);
        const std::vector<NodeModel> nodes(2, node());
        const std::vector<PipelineNode> ranks = nodesOf(spec, nodes);
        const PartCosts measured{0, {7, 1, 1, 1, 1, 1, 1, 1}, 0};
        QCOMPARE(layersByTime(spec, kDividedShape, ranks, measured).value(), (std::vector<int>{1, 7}));
        const StageDivision best = divideStages(spec, kDividedShape, ranks, measured)->front();
        QCOMPARE(best.layerCounts, (std::vector<int>{1, 7}));
        // 32 micro-batches of 7 s a stage, and one more until the pipeline is full.
        QVERIFY(std::abs(best.step / (33 * 7) - 1) < 0.05);
    }

    // What the model has, measured: nothing changes.
    void changesNothingByMeasuringWhatWasPlanned()
    {
        const RunSpec spec = withCounts(divided(12, 3), {5, 4, 3});
        const std::vector<PipelineNode> ranks = nodesOf(spec, {node(), node(2), node()});
        const StageTimes planned = timeStages(spec, kDividedShape, ranks).value();
        const StageTimes measured = timeStages(spec, kDividedShape, ranks, planned.parts).value();
        QVERIFY(std::abs(measured.step / planned.step - 1) < 1e-9);
    }

    void readsMeasuredSeconds_data()
    {
        QTest::addColumn<QByteArray>("json");
        QTest::addColumn<QString>("said");
        QTest::addRow("all") << QByteArray(R"({"embeddings": 1, "layers": [2, 3.5], "head": 4})") << "";
        QTest::addRow("layers alone") << QByteArray(R"({"layers": [2, 3.5]})") << "";
        QTest::addRow("no JSON") << QByteArray("{") << "not valid JSON";
        QTest::addRow("no object") << QByteArray("[1, 2]") << "must be an object";
        QTest::addRow("too few") << QByteArray(R"({"layers": [2]})") << "2 positive numbers";
        QTest::addRow("a word") << QByteArray(R"({"layers": [2, "3"]})") << "2 positive numbers";
        QTest::addRow("nothing") << QByteArray(R"({"layers": [2, 0]})") << "2 positive numbers";
        QTest::addRow("below 0") << QByteArray(R"({"layers": [2, 2], "head": -1})") << "head";
        QTest::addRow("unknown") << QByteArray(R"({"layers": [2, 2], "haed": 1})") << "haed";
        QTest::addRow("no sum") << QByteArray(R"({"layers": [1e308, 1e308]})") << "1e+100";
        QTest::addRow("nested") << R"({"embeddings": )" + QByteArray(1'000'000, '[') << "nests deeper";
    }
    void readsMeasuredSeconds()
    {
        QFETCH(QByteArray, json);
        QFETCH(QString, said);
        const auto parts = parsePartCosts(json.toStdString(), 2);
        QCOMPARE(parts.ok(), said.isEmpty());
        if (parts.ok())
            QCOMPARE(parts->layers.size(), std::size_t{2});
        else
            QVERIFY2(parts.error().text().find(said.toStdString()) != std::string::npos,
                     parts.error().text().c_str());
    }

    void worksAtTheLimits()
    {
        const std::vector<NodeModel> one{node()};
        QCOMPARE(layersByTime(divided(1, 1), kDividedShape, nodesOf(divided(1, 1), one)).value(),
                 std::vector<int>{1});
        const RunSpec full = divided(4, 4);
        const std::vector<NodeModel> nodes(4, node());
        QCOMPARE(layersByTime(full, kDividedShape, nodesOf(full, nodes)).value(),
                 (std::vector<int>{1, 1, 1, 1}));
        QVERIFY(withLayers(full, kDividedShape, {1, 1, 1, 1}) == full);
        RunSpec chunks = divided(23, 4);
        chunks.layout.schedule = PipelineScheduleKind::Interleaved;
        chunks.layout.virtualStages = 4;
        const std::vector<int> counts = layersByTime(chunks, kDividedShape, nodesOf(chunks, nodes)).value();
        QCOMPARE(counts.size(), std::size_t{16});
        QCOMPARE(std::accumulate(counts.begin(), counts.end(), 0), 23);
    }

    void comparesTheWaysToDivide()
    {
        RunSpec spec = divided(24, 4);
        spec.layout.partition = {PartitionKind::ByHand, {3, 9, 9, 3}};
        const std::vector<NodeModel> nodes(4, node());
        const std::vector<StageDivision> found =
            divideStages(spec, kDividedShape, nodesOf(spec, nodes)).value();
        QVERIFY(found.size() >= 3);
        for (std::size_t i = 1; i < found.size(); ++i)
            QVERIFY(found[i].step >= found[i - 1].step);
        const auto byHand = std::ranges::find(found, PartitionKind::ByHand, &StageDivision::kind);
        QVERIFY(byHand != found.end());
        QCOMPARE(byHand->layerCounts, (std::vector<int>{3, 9, 9, 3}));
        QCOMPARE(byHand->onDevice, estimateMemory(spec, kDividedShape).onDevice());
    }

    void comparesEveryPlacementThatDiffers()
    {
        ParallelLayout layout{.data = 2, .tensor = 8, .pipeline = 4};
        QCOMPARE(distinctPlacements(layout).size(), std::size_t{6});
        layout.pipeline = 1;
        QCOMPARE(distinctPlacements(layout), (std::vector<std::string>{"PDT", "PTD"}));
        layout.tensor = 1;
        QCOMPARE(distinctPlacements(layout).size(), std::size_t{1});
    }

    // A head of two layers and only one layer each: the faster node should have it.
    void putsTheHeadOnTheFasterNode()
    {
        const RunSpec spec = divided(2, 2);
        const std::vector<Arrangement> found = arrange(spec, kDividedShape, {node(), node(3)}).value();
        const Arrangement& best = found.front();
        QCOMPARE(best.spec.cluster.nodes.back().host, "node-0");
        QVERIFY(best.step < stepOf(spec, {1, 1}, {node(), node(3)}));
        for (const Arrangement& other : found)
            QVERIFY(best.step <= other.step);
        QCOMPARE(arrange(spec, kDividedShape, {node(), node()})->size(),
                 distinctPlacements(spec.layout).size());
    }

    void stopsArrangingWhenAsked()
    {
        const RunSpec spec = divided(2, 2);
        std::vector<double> shares;
        const auto goesOn = [&](double share) {
            shares.push_back(share);
            return shares.size() < 2;
        };
        QCOMPARE(arrange(spec, kDividedShape, {node(), node(3)}, {}, goesOn).error().kind,
                 ErrorKind::Cancelled);
        QCOMPARE(shares, (std::vector<double>{0, 0.25})); // two orders of the nodes, two of the ranks
    }
};

QTEST_APPLESS_MAIN(TestStageDivision)
#include "tst_stage_division.moc"
