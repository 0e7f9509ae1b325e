#include <QElapsedTimer>
#include <QTest>

#include <cmath>
#include <random>

#include "engine/planner/hardware/hardware_presets.h"
#include "engine/planner/memory/layer_activations.h"
#include "engine/planner/memory/memory_model.h"
#include "engine/planner/pipeline/make_schedule.h"
#include "engine/planner/time/collective_time.h"
#include "engine/planner/time/product_time.h"
#include "engine/planner/time/step_model.h"
#include "engine/spec/presets.h"
#include "tests/support/patience.h"

using namespace trainyard;

namespace {

NodeModel a100Node()
{
    return *nodePreset("hgx-a100");
}

/// 16 layers on 16 devices: 2 replicas x 4 stages x 2.
RunSpec smallRun()
{
    RunSpec spec;
    spec.model = *modelPreset("gpt2-xl");
    spec.model.layers = 16;
    spec.model.heads = 16;
    spec.model.vocabulary = 51200;
    spec.layout.data = 2;
    spec.layout.pipeline = 4;
    spec.layout.tensor = 2;
    spec.batch = {64, 2, 16};
    spec.precision.compute = ComputeType::BFloat16;
    return spec;
}

constexpr SequenceShape kShape{1024, 0};

StepTime timeOf(const RunSpec& spec, const NodeModel& node = a100Node())
{
    const auto model = StepModel::create(spec, kShape, node);
    return model->estimate();
}

double causeOf(const StepTime& time, StepCause cause)
{
    return time.byCause[static_cast<std::size_t>(cause)];
}

PipelineCosts randomCosts(const PipelineShape& shape, unsigned seed)
{
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> any(0.5, 1.5);
    PipelineCosts costs;
    for (int stage = 0; stage < shape.stages(); ++stage)
        costs.stages.push_back({any(random), 2 * any(random), any(random), any(random), any(random)});
    costs.optimizerStep = any(random);
    costs.transfer = 0.1 * any(random);
    return costs;
}

} // namespace

Q_DECLARE_METATYPE(ParallelLayout)

class TestStepTime : public QObject {
    Q_OBJECT

private slots:
    // 108 processors: 108 tiles of 256 x 128 are one wave, one more tile a second one.
    void roundsProductsUpToWholeWaves()
    {
        const DeviceModel device = a100Node().device;
        const auto seconds = [&](double rows) {
            return productTime({rows, 128 * 108, 8192}, device, ComputeType::BFloat16).arithmetic;
        };
        const double ideal = 2.0 * 256 * 128 * 108 * 8192 / (312e12 * device.productEfficiency);
        QVERIFY(std::abs(seconds(256) / ideal - 1) < 1e-9);
        QVERIFY(seconds(257) > 1.3 * seconds(256));
    }

    void slowsProductsWhoseSidesAreNotAligned()
    {
        const DeviceModel device = a100Node().device;
        const auto seconds = [&](double words) {
            return productTime({1024, words, 2048}, device, ComputeType::Float16).arithmetic;
        };
        QVERIFY(std::abs(seconds(50257) / seconds(50304) - 1 / kUnalignedShare) < 0.05);
    }

    void findsGroupsOnNodes_data()
    {
        QTest::addColumn<QString>("placement");
        QTest::addColumn<int>("nodesOfData");
        QTest::addColumn<int>("groupsPerNode");
        QTest::addColumn<int>("nodesOfPipeline");
        QTest::addRow("replica after replica") << "DPT" << 2 << 8 << 1;
        QTest::addRow("stage after stage") << "PDT" << 1 << 2 << 2;
        QTest::addRow("spread") << "TPD" << 1 << 4 << 1;
    }
    void findsGroupsOnNodes()
    {
        QFETCH(QString, placement);
        ParallelLayout layout = smallRun().layout;
        layout.placement = placement.toStdString();
        const RankGrid grid = *RankGrid::create(layout);
        const GroupPlace data = placeOf(grid, {Axis::Data}, 8);
        QCOMPARE(data.ranks, 2);
        QTEST(data.nodes, "nodesOfData");
        QTEST(placeOf(grid, {Axis::Pipeline}, 8).nodes, "nodesOfPipeline");
    }

    void takesTheWorstOfGroupsThatLieDifferently()
    {
        ParallelLayout layout{.data = 4, .tensor = 6};
        // Ranks 0 to 5 are on the first of the nodes of eight, 6 to 11 on two, 12 to 17 too, 18 to 23 on one.
        const RankGrid grid = *RankGrid::create(layout);
        QCOMPARE(placeOf(grid, {Axis::Tensor}, 8), (GroupPlace{6, 2, 2}));
        QCOMPARE(placeOf(grid, {Axis::Tensor}, 12), (GroupPlace{6, 1, 2}));
        layout = {.data = 8, .tensor = 4};
        QCOMPARE(placeOf(*RankGrid::create(layout), {Axis::Tensor}, 8), (GroupPlace{4, 1, 2}));
    }

    void updatesAllStagesOfARank()
    {
        RunSpec spec = smallRun();
        spec.layout.virtualStages = 1;
        const double whole = causeOf(timeOf(spec), StepCause::Optimizer);
        spec.layout.schedule = PipelineScheduleKind::Interleaved;
        for (const int chunks : {2, 4}) {
            spec.layout.virtualStages = chunks;
            QVERIFY(std::abs(causeOf(timeOf(spec), StepCause::Optimizer) / whole - 1) < 1e-6);
        }
    }

    void reducesAtTheSpeedOfTheSlowestLink()
    {
        const NodeModel node = a100Node();
        const double bytes = 1e9;
        const double within = allReduceTime(bytes, {8, 1, 1}, node);
        QVERIFY(std::abs(within - (1e-5 + 1.75 * bytes / node.deviceLinks.bandwidth(bytes, 8))) < 1e-9);
        // Eight groups share 85 GB/s; a single one has them.
        const double shared = allReduceTime(bytes, {4, 4, 8}, node);
        QVERIFY(std::abs(shared - (4e-5 + 1.5 * bytes / (85e9 / 8))) < 1e-9);
        QVERIFY(allReduceTime(bytes, {4, 4, 1}, node) < shared);
        QCOMPARE(allReduceTime(bytes, {1, 1, 1}, node), 0.0);
    }

    void skipsRepetitionsOfASchedule_data()
    {
        QTest::addColumn<PipelineScheduleKind>("kind");
        QTest::addColumn<int>("chunks");
        QTest::addColumn<int>("microBatches");
        QTest::addRow("gpipe") << PipelineScheduleKind::GPipe << 1 << 90;
        QTest::addRow("1f1b") << PipelineScheduleKind::OneForwardOneBackward << 1 << 90;
        QTest::addRow("few") << PipelineScheduleKind::OneForwardOneBackward << 1 << 9;
        QTest::addRow("interleaved") << PipelineScheduleKind::Interleaved << 2 << 96;
        QTest::addRow("unequal groups") << PipelineScheduleKind::Interleaved << 2 << 95;
        QTest::addRow("many unequal groups") << PipelineScheduleKind::Interleaved << 2 << 779;
        QTest::addRow("zero-bubble") << PipelineScheduleKind::ZeroBubble << 1 << 90;
    }
    void skipsRepetitionsOfASchedule()
    {
        QFETCH(PipelineScheduleKind, kind);
        RunSpec spec = smallRun();
        spec.layout.schedule = kind;
        spec.layout.pipeline = 8;
        QFETCH(int, chunks);
        spec.layout.virtualStages = chunks;
        QFETCH(int, microBatches);
        spec.batch.accumulation = microBatches;
        const StepSchedule schedule = *StepSchedule::create(spec);
        QCOMPARE(schedule.shape().microBatches, microBatches);
        for (unsigned seed = 0; seed < 20; ++seed) {
            const PipelineCosts costs = randomCosts(schedule.shape(), seed);
            const double whole = simulate(*makeSchedule(spec), costs)->duration();
            QVERIFY2(std::abs(schedule.duration(costs) / whole - 1) < 0.005,
                     qPrintable(QString("%1 %2").arg(schedule.duration(costs)).arg(whole)));
        }
    }

    void timesAScheduleAsItWouldBeExecuted_data() { skipsRepetitionsOfASchedule_data(); }
    void timesAScheduleAsItWouldBeExecuted()
    {
        QFETCH(PipelineScheduleKind, kind);
        QFETCH(int, chunks);
        QFETCH(int, microBatches);
        RunSpec spec = smallRun();
        spec.layout.schedule = kind;
        spec.layout.pipeline = 8;
        spec.layout.virtualStages = chunks;
        spec.batch.accumulation = microBatches;
        for (unsigned seed = 0; seed < 20; ++seed) {
            const PipelineCosts costs = randomCosts({8, chunks, microBatches}, seed);
            QCOMPARE(simulate(*makeScheduleForTiming(spec), costs)->duration(),
                     simulate(*makeSchedule(spec), costs)->duration());
        }
    }

    // If every action were simulated, the last row would take hours; how long they take:
    // tests/bench/planner_times.
    void plansManyActionsWithoutSimulatingAll_data()
    {
        QTest::addColumn<ParallelLayout>("layout");
        QTest::addColumn<int>("accumulation");
        QTest::addRow("64 stages on 1024 devices")
            << ParallelLayout{.data = 2, .tensor = 8, .pipeline = 64} << 512;
        ParallelLayout interleaved{.data = 2, .tensor = 8, .pipeline = 64};
        interleaved.schedule = PipelineScheduleKind::Interleaved;
        interleaved.virtualStages = 2;
        QTest::addRow("interleaved, unequal groups") << interleaved << 4095;
        interleaved.pipeline = 32;
        interleaved.virtualStages = 4;
        QTest::addRow("about as many actions as are simulated") << interleaved << 224;
        QTest::addRow("a stage for each layer") << ParallelLayout{.tensor = 8, .pipeline = 128} << (1 << 24);
    }
    void plansManyActionsWithoutSimulatingAll()
    {
        QFETCH(ParallelLayout, layout);
        QFETCH(int, accumulation);
        RunSpec spec = smallRun();
        spec.model = *modelPreset("gpt-1t");
        spec.layout = layout;
        spec.batch = {accumulation * layout.data, 1, accumulation};
        spec.cluster.nodes.assign(128, {"a", 8, 0});
        QElapsedTimer timer;
        timer.start();
        const double step = timeOf(spec).seconds;
        QVERIFY(std::isfinite(step) && step > 0);
        QVERIFY(estimateMemory(spec, kShape).total() > 0);
        QVERIFY2(timer.elapsed() < kPatienceMs, qPrintable(QString::number(timer.elapsed())));
    }

    // Equal stages: the formula is the simulation, but for the last transfers.
    void knowsTheTimeOfEqualStagesByFormula_data() { skipsRepetitionsOfASchedule_data(); }
    void knowsTheTimeOfEqualStagesByFormula()
    {
        QFETCH(PipelineScheduleKind, kind);
        QFETCH(int, chunks);
        QFETCH(int, microBatches);
        RunSpec spec = smallRun();
        spec.layout.schedule = kind;
        spec.layout.pipeline = 8;
        spec.layout.virtualStages = chunks;
        spec.batch.accumulation = microBatches;
        const StepSchedule formula = *StepSchedule::create(spec, ScheduleDetail::Formula);
        const PipelineCosts costs = uniformCosts(formula.shape(), {1, 2, 1, 1, 0.5});
        const double whole = simulate(*makeSchedule(spec), costs)->duration();
        QVERIFY2(std::abs(formula.duration(costs) / whole - 1) < 0.01,
                 qPrintable(QString("%1 %2").arg(formula.duration(costs)).arg(whole)));
    }

    // 128 stages and 1000 micro-batches are not simulated; the last stage has a head.
    void staysCloseToSchedulesThatAreTooLongToSimulate()
    {
        RunSpec spec = smallRun();
        spec.layout.schedule = PipelineScheduleKind::Interleaved;
        spec.layout.pipeline = 32;
        spec.layout.virtualStages = 4;
        spec.batch.accumulation = 1000;
        const StepSchedule schedule = *StepSchedule::create(spec);
        PipelineCosts costs = uniformCosts(schedule.shape(), {1, 2, 1, 1, 0.5});
        costs.stages.back() = {1.3, 2.6, 1.3, 1.3, 0.5};
        const double whole = simulate(*makeScheduleForTiming(spec), costs)->duration();
        QVERIFY2(std::abs(schedule.duration(costs) / whole - 1) < 0.005,
                 qPrintable(QString("%1 %2").arg(schedule.duration(costs)).arg(whole)));
    }

    void accountsForAllTimeByCause()
    {
        const StepTime time = timeOf(smallRun());
        QVERIFY(std::abs(sum(time.byCause) / time.seconds - 1) < 1e-9);
        for (const StepCause cause : {StepCause::Products, StepCause::Traffic, StepCause::Tensor,
                                      StepCause::Optimizer, StepCause::Bubble, StepCause::Stragglers})
            QVERIFY2(causeOf(time, cause) > 0, std::string(nameOf(cause)).c_str());
        QCOMPARE(causeOf(time, StepCause::Recompute), 0.0);
        QCOMPARE(causeOf(time, StepCause::Gathers), 0.0);
    }

    void knowsWhatEachMeasureCosts_data()
    {
        QTest::addColumn<QString>("measure");
        QTest::addColumn<int>("cause");
        QTest::addRow("recompute") << "recompute" << static_cast<int>(StepCause::Recompute);
        QTest::addRow("zero 3") << "zero 3" << static_cast<int>(StepCause::Gathers);
        QTest::addRow("offload") << "offload" << static_cast<int>(StepCause::Offload);
        QTest::addRow("context") << "context" << static_cast<int>(StepCause::Context);
    }
    void knowsWhatEachMeasureCosts()
    {
        RunSpec spec = smallRun();
        spec.layout.pipeline = 1;
        spec.layout.data = 8;
        spec.batch = {64, 2, 4};
        const StepTime before = timeOf(spec);
        const QString measure = QTest::currentDataTag();
        if (measure == "recompute")
            spec.memory.recompute = RecomputeKind::Full;
        if (measure == "zero 3")
            spec.memory.zeroStage = 3;
        if (measure == "offload")
            spec.memory.offloadActivations = true;
        if (measure == "context") {
            spec.layout.data = 4;
            spec.layout.context = 2;
        }
        const StepTime after = timeOf(spec);
        QFETCH(int, cause);
        QCOMPARE(causeOf(before, static_cast<StepCause>(cause)), 0.0);
        QVERIFY(causeOf(after, static_cast<StepCause>(cause)) > 0);
        QVERIFY(measure == "context" || after.seconds > before.seconds);
    }

    /// On nodes of eight, within which tokens travel faster than among them.
    void expertsCostTheWayToThem()
    {
        RunSpec spec = smallRun();
        spec.model.setFamily(ModelFamily::Mixtral);
        spec.model.experts = {.count = 8, .perToken = 2};
        spec.layout = {.data = 16};
        spec.cluster.nodes = {{"a", 8}, {"b", 8}};
        spec.batch = {64, 2, 2};
        const StepTime alone = timeOf(spec);
        spec.layout.expert = 8;
        const StepTime within = timeOf(spec);
        spec.layout.expertPlacement = ExpertPlacement::Outer;
        const StepTime among = timeOf(spec);
        QCOMPARE(causeOf(alone, StepCause::Experts), 0.0);
        QVERIFY(causeOf(within, StepCause::Experts) > 0);
        QVERIFY(causeOf(among, StepCause::Experts) > 2 * causeOf(within, StepCause::Experts));
        // An eighth of the experts' gradients goes to fewer ranks, and an eighth is updated.
        QVERIFY(causeOf(within, StepCause::Reductions) < causeOf(alone, StepCause::Reductions));
        QVERIFY(causeOf(within, StepCause::Optimizer) < causeOf(alone, StepCause::Optimizer));
        // The busiest rank computes more than its part.
        QVERIFY(causeOf(within, StepCause::Products) > causeOf(alone, StepCause::Products));
    }

    /// On nodes of eight: what ZeRO 3 gathers for every micro-batch stays within the node, and once a step an
    /// eighth of the gradients goes between them.
    void statesThatANodeSharesStayInIt()
    {
        RunSpec spec = smallRun();
        spec.layout = {.data = 16};
        spec.cluster.nodes = {{"a", 8}, {"b", 8}};
        spec.batch = {128, 2, 4};
        spec.memory.zeroStage = 3;
        const StepTime among = timeOf(spec);
        spec.layout.shard = 8;
        const StepTime within = timeOf(spec);
        spec.layout.shard = 16;
        const StepTime all = timeOf(spec);
        QCOMPARE(all.seconds, among.seconds);
        QVERIFY(within.seconds < among.seconds);
        QVERIFY(causeOf(within, StepCause::Reductions) > 0);
        QCOMPARE(causeOf(among, StepCause::Reductions), 0.0);
        QVERIFY(causeOf(within, StepCause::Optimizer) > 1.9 * causeOf(among, StepCause::Optimizer));
    }

    void correctsByTheNodesOwnCalibration()
    {
        const double before = causeOf(timeOf(smallRun()), StepCause::Products);
        NodeModel node = a100Node();
        node.calibration.emplace().coefficients.factors[static_cast<std::size_t>(TimeFactor::Products)] = 2;
        QCOMPARE(causeOf(timeOf(smallRun(), node), StepCause::Products), 2 * before);
        const auto model = StepModel::create(smallRun(), kShape, node);
        QCOMPARE(model->estimate(TimeCoefficients()).seconds, timeOf(smallRun()).seconds);
    }

    /// Two micro-batches of sixteen replicas on two nodes.
    static RunSpec shardedRun(int zeroStage)
    {
        RunSpec spec = smallRun();
        spec.layout = {.data = 16};
        spec.batch = {32, 1, 2};
        spec.memory.zeroStage = zeroStage;
        return spec;
    }

    // What a wider vocabulary adds to the weights has to come, and its gradients to go, with every
    // micro-batch.
    void gathersTheEndsOfTheModelToo_data()
    {
        QTest::addColumn<int>("zeroStage");
        QTest::addColumn<int>("times"); // weights before the forward and the backward pass; gradients
        QTest::addRow("gradients") << 2 << 1;
        QTest::addRow("weights and gradients") << 3 << 3;
    }
    void gathersTheEndsOfTheModelToo()
    {
        QFETCH(int, zeroStage);
        QFETCH(int, times);
        RunSpec spec = shardedRun(zeroStage);
        spec.model.tiedHead = true;
        ProgramTraits waiting; // so that nothing hides what goes on
        waiting.overlapsGathers = false;
        const auto gathers = [&](int vocabulary) {
            spec.model.vocabulary = vocabulary;
            const auto time = StepModel::create(spec, kShape, a100Node(), waiting)->estimate();
            return causeOf(time, StepCause::Gathers);
        };
        const double added = gathers(2 * 51200) - gathers(51200);
        const double words = 51200.0 * spec.model.hidden;
        const GroupPlace data{16, 2, 1};
        const double once = gatherTime(words * 4, data, a100Node()) - gatherTime(0, data, a100Node());
        const double weight = gatherTime(words * 2, data, a100Node()) - gatherTime(0, data, a100Node());
        const double ofMicroBatch = once + (times - 1) * weight + (zeroStage == 3 ? weight : 0);
        const double afterUpdate = zeroStage == 2 ? weight : 0;
        const double expected = 2 * ofMicroBatch + afterUpdate;
        QVERIFY2(std::abs(added / expected - 1) < 0.02,
                 qPrintable(QString("%1 %2").arg(added).arg(expected)));
    }

    void sendsKeysAndValuesRoundAgainWhereAttentionIsRepeated()
    {
        RunSpec spec = smallRun();
        spec.layout = {.data = 1, .context = 16};
        spec.batch = {4, 1, 4};
        NodeModel slow = a100Node();
        slow.network.points = {{kMiB, 1e8}}; // nothing hides the ring
        const auto context = [&](RecomputeKind kind) {
            spec.memory.recompute = kind;
            return causeOf(timeOf(spec, slow), StepCause::Context);
        };
        // 15 rounds of 2 tensors of 2 bytes in each pass; 16 of 2 gradients of 4 bytes.
        const double once = context(RecomputeKind::None);
        QVERIFY(std::abs(context(RecomputeKind::Full) / once - 308.0 / 248) < 0.02);
    }

    // One kernel neither writes nor reads scores; "auto" is CUDA on devices with memory of their own.
    void movesNoScoresWhereOneKernelMakesAttention()
    {
        RunSpec spec = smallRun();
        const auto seconds = [&](DeviceKind device, double dropout) {
            spec.launch.device = device;
            spec.model.attentionDropout = dropout;
            return StepModel::create(spec, {8192, 0}, a100Node())->estimate().seconds;
        };
        const double kept = seconds(DeviceKind::Cuda, 0.1);
        const double fused = seconds(DeviceKind::Cuda, 0);
        QVERIFY(fused < 0.8 * kept);
        QCOMPARE(seconds(DeviceKind::Auto, 0), fused);
        QVERIFY(seconds(DeviceKind::Cpu, 0) > fused);
    }

    // Of four layers one keeps its input, and three all that they have.
    void copiesWhatAnAverageLayerKeeps()
    {
        RunSpec spec = smallRun();
        spec.layout = {};
        spec.batch = {2, 2, 1};
        spec.launch.device = DeviceKind::Cuda;
        spec.memory.offloadActivations = true;
        spec.memory.recompute = RecomputeKind::Full;
        NodeModel slow = a100Node();
        slow.hostLink = 1e8;
        const auto offload = [&](int every) {
            spec.memory.recomputeEvery = every;
            return causeOf(timeOf(spec, slow), StepCause::Offload);
        };
        const LayerActivations layer = layerActivations(spec, kShape.length);
        const double expected =
            (1 + 3 * static_cast<double>(layer.whole()) / static_cast<double>(layer.input)) / 4;
        QVERIFY(std::abs(offload(4) / offload(1) / expected - 1) < 0.1);
    }

    void neverWaitsForLessThanNoTime()
    {
        TimeCoefficients quick;
        quick.factors[static_cast<std::size_t>(TimeFactor::Sharing)] = 0.9;
        RunSpec spec = smallRun();
        spec.layout = {.data = 8, .tensor = 4};
        spec.batch = {64, 4, 2};
        const StepModel model = *StepModel::create(spec, kShape, a100Node());
        const StepTime before = model.estimate();
        const StepTime after = model.estimate(quick);
        QVERIFY(causeOf(after, StepCause::Stragglers) >= 0);
        QVERIFY(causeOf(after, StepCause::Products) < causeOf(before, StepCause::Products));
        QVERIFY(after.seconds < before.seconds);
        QVERIFY(std::abs(sum(after.byCause) / after.seconds - 1) < 1e-9);
    }

    void letsRanksTakeTurnsOnSharedCores()
    {
        const auto secondsOn = [](int cores, const RunSpec& spec) {
            NodeModel node = nodePreset("cpu-node").value();
            node.devices = cores;
            return StepModel::create(spec, kShape, node)->estimate().seconds;
        };
        RunSpec spec = smallRun();
        spec.layout = {.data = 4};
        spec.batch = {32, 4, 2, false};
        spec.cluster.nodes.front().slotCount = 4;
        const auto timesLonger = [&](int cores) { return secondsOn(cores, spec) / secondsOn(4, spec); };
        // The update takes as long on any of them: the cores share the memory's bandwidth.
        QVERIFY(timesLonger(2) > 1.9 && timesLonger(2) <= 2);
        QVERIFY(timesLonger(1) > 3.7 && timesLonger(1) <= 4);
        // The bubble of a pipeline is time in which another stage has the core.
        spec.layout = {.pipeline = 4};
        spec.batch = {16, 4, 4, false};
        const double alone = secondsOn(4, spec);
        QVERIFY(secondsOn(2, spec) < 1.7 * alone);
        QVERIFY(secondsOn(1, spec) > 1.9 * alone);
        // Slots that get no rank share nothing.
        spec.cluster.nodes.front().slotCount = 32;
        QCOMPARE(secondsOn(4, spec), alone);
    }

    void splitsTheBackwardPassesOfAZeroBubble()
    {
        RunSpec spec = smallRun();
        const StepTime before = StepModel::create(spec, kShape, a100Node())->estimate();
        spec.layout.schedule = PipelineScheduleKind::ZeroBubble;
        const StepModel model = *StepModel::create(spec, kShape, a100Node());
        const std::vector<StageCosts> stages = model.costs().stages;
        QCOMPARE(stages.front().backwardInput, 0.0); // nobody waits for its inputs' gradients
        for (std::size_t i = 0; i < stages.size(); ++i) {
            QCOMPARE(stages[i].backwardInput + stages[i].backwardWeight, stages[i].backward);
            QVERIFY(i == 0 || stages[i].backwardWeight < stages[i].backwardInput);
        }
        const StepTime time = model.estimate();
        QVERIFY(causeOf(time, StepCause::Bubble) < causeOf(before, StepCause::Bubble));
        QVERIFY(time.seconds < before.seconds);
        QVERIFY(std::abs(sum(time.byCause) / time.seconds - 1) < 1e-9);
    }

    void reducesGradientsOfAPipelineBehindItsPasses()
    {
        RunSpec spec = smallRun();
        ProgramTraits hiding;
        hiding.overlapsReductionsOfStages = true;
        const StepTime hidden = StepModel::create(spec, kShape, a100Node(), hiding)->estimate();
        QVERIFY(causeOf(timeOf(spec), StepCause::Reductions) > causeOf(hidden, StepCause::Reductions));
    }

    void waitsLongerForMoreDevices()
    {
        QCOMPARE(slowestOf(1), 1.0);
        // Expected largest of 8 and of 100 normal deviates: 1.42, 2.51 (Tippett, 1925).
        QVERIFY(std::abs((slowestOf(8) - 1) / kDeviceSpread - 1.42) < 0.02);
        QVERIFY(std::abs((slowestOf(100) - 1) / kDeviceSpread - 2.51) < 0.02);
    }

    void hidesReductionsBehindTheBackwardPass()
    {
        RunSpec spec = smallRun();
        spec.layout = {};
        spec.layout.data = 16;
        spec.batch = {64, 4, 1};
        const StepTime hidden = timeOf(spec);
        const auto behind = StepModel::create(spec, kShape, a100Node(), megatronProgram())->estimate();
        QVERIFY(causeOf(hidden, StepCause::Reductions) < 0.5 * causeOf(behind, StepCause::Reductions));
        QVERIFY(causeOf(hidden, StepCause::Reductions) > 0);
    }
};

QTEST_APPLESS_MAIN(TestStepTime)
#include "tst_step_time.moc"
