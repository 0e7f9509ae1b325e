#include <cmath>
#include <limits>

#include <QTemporaryDir>
#include <QTest>

#include <ATen/Parallel.h>
#include <ATen/ops/full.h>

#include "engine/comm/process_groups.h"
#include "engine/comm/threads_transport.h"
#include "engine/memory/accounting_allocator.h"
#include "engine/nn/parameters/parameter_store.h"
#include "engine/planner/learning_rate_schedule.h"
#include "engine/spec/validate.h"
#include "engine/training/data/training_data.h"
#include "engine/training/training_step.h"
#include "tests/auto/training/train_as_threads.h"
#include "tests/auto/training/training_fixture.h"

using namespace trainyard;

namespace {

namespace fs = std::filesystem;

constexpr int kSteps = 5;
constexpr int kOverflowStep = 3;

struct Layout {
    const char* name;
    ParallelLayout parallel;
    int zeroStage = 0;
    bool offloads = false; ///< the optimizer, and with ZeRO 3 the parameters
};

const std::vector<Layout>& layouts()
{
    using Schedule = PipelineScheduleKind;
    static const std::vector<Layout> all{
        {"one rank", {}},
        {"data 4", {.data = 4}},
        {"data 4, ZeRO 1", {.data = 4}, 1},
        {"data 4, ZeRO 2", {.data = 4}, 2},
        {"data 4, ZeRO 2, offloaded", {.data = 4}, 2, true},
        {"data 2, ZeRO 3, offloaded", {.data = 2}, 3, true},
        {"tensor 2", {.tensor = 2}},
        {"tensor 4, sequence", {.tensor = 4, .sequence = true}},
        {"1f1b 2", {.pipeline = 2}},
        {"interleaved 2 x 2", {.pipeline = 2, .schedule = Schedule::Interleaved, .virtualStages = 2}},
        {"zero-bubble 2", {.pipeline = 2, .schedule = Schedule::ZeroBubble}},
        {"data 2, tensor 2, ZeRO 2", {.data = 2, .tensor = 2, .placement = "TPD"}, 2},
        {"data 2, tensor 2, 1f1b 2, ZeRO 1", {.data = 2, .tensor = 2, .pipeline = 2}, 1},
    };
    return all;
}

/// The scale is low enough to leave the gradients of this model in range, and grows every two steps.
RunSpec specOf(const fs::path& dataset, const Layout& layout)
{
    RunSpec spec = tinySpec(dataset, 1, ComputeType::Float16);
    spec.model.layers = 4;
    spec.model.heads = 4;
    spec.precision.lossScale = {.initial = 64, .growthInterval = 2, .backoff = 0.25};
    spec.layout = layout.parallel;
    spec.layout.bucketSize = 64 * kKiB;
    spec.memory.zeroStage = layout.zeroStage;
    spec.memory.offloadOptimizer = layout.offloads;
    spec.memory.offloadParameters = layout.offloads && layout.zeroStage == 3;
    spec.batch = {8, 2, 4 / layout.parallel.data};
    spec.cluster.nodes.front().slotCount = spec.layout.worldSize();
    return spec;
}

/// Comes before the leaf's collector and gives it infinity to add at step kOverflowStep.
class Overflow final : public torch::autograd::FunctionPreHook {
public:
    Overflow(const at::Tensor& leaf, const std::int64_t& now)
        : m_infinite(at::full(leaf.sizes(), std::numeric_limits<double>::infinity(), leaf.options()))
        , m_now(now)
    {
    }

    torch::autograd::variable_list operator()(const torch::autograd::variable_list& gradients) override
    {
        return m_now == kOverflowStep ? torch::autograd::variable_list{m_infinite} : gradients;
    }

private:
    at::Tensor m_infinite;
    const std::int64_t& m_now;
};

/// A gradient of a layer norm, which tensor-parallel ranks hold whole: where the ranks do not ask each other,
/// only this one knows of it.
void overflowAt(ModelChunk& chunk, const std::int64_t& now)
{
    for (const Parameter& parameter : chunk.parameters().parameters()) {
        if (!parameter.spec.name.ends_with("LayerNorm.weight"))
            continue;
        const at::Tensor& leaf = chunk.parameters().leaf(parameter.spec.name);
        auto& hooks = torch::autograd::impl::hooks(leaf);
        hooks.insert(hooks.begin(), std::make_unique<Overflow>(leaf, now));
        return;
    }
    QFAIL("no layer norm");
}

/// What a rank knows after a step.
struct Told {
    bool skipped = false;
    double lossScale = 0;
    double learningRate = 0;
    LossScaleState next;
    std::int64_t updates = 0;
    bool moved = false; ///< its master weights

    bool operator==(const Told&) const = default;
};

at::Tensor mastersOf(Replica& replica)
{
    return replica.chunks().front()->parameters().flatMasters();
}

/// Takes kSteps steps; on rank `overflowing` gradients of step kOverflowStep overflow.
std::vector<Told> takeSteps(const RunSpec& spec, GroupMaker& maker, int overflowing)
{
    const auto world = maker.makeWorld();
    const ProcessGroups groups = makeProcessGroups(maker, *world, RankGrid::create(spec.layout).value());
    const auto replica = Replica::create(spec, {}, groups).value();
    PhaseClock clock(nullptr);
    TrainingStep training(spec, {*replica, groups, clock});
    const auto loader =
        startLoading(TrainingData::open(spec).value(), spec, {groups.data->rank(), groups.data->size(), 0});
    std::int64_t now = 0;
    if (maker.rank().value == overflowing)
        overflowAt(*replica->chunks().front(), now);
    std::vector<Told> told;
    for (now = 1; now <= kSteps; ++now) {
        const at::Tensor before = mastersOf(*replica).clone();
        const StepOutcome outcome =
            training.run(Step{now}, loader->next(), [] { return Requests(); }).value();
        told.push_back({outcome.skipped, outcome.lossScale, outcome.learningRate, training.lossScale(),
                        replica->chunks().front()->optimizer().steps(), !mastersOf(*replica).equal(before)});
    }
    return told;
}

} // namespace

class TestLossScaling : public QObject {
    Q_OBJECT

private slots:
    void initTestCase()
    {
        at::set_num_threads(1);
        QVERIFY(writeTinyDataset(dataset()).ok());
    }

    void anOverflowOnOneRankSkipsTheStepOnAll_data()
    {
        QTest::addColumn<int>("layout");
        QTest::addColumn<int>("rank");
        for (std::size_t i = 0; i < layouts().size(); ++i) {
            const int ranks = layouts()[i].parallel.worldSize();
            for (int rank = 0; rank < ranks; rank += std::max(1, ranks - 1))
                QTest::addRow("%s, rank %d", layouts()[i].name, rank) << int(i) << rank;
        }
    }
    void anOverflowOnOneRankSkipsTheStepOnAll()
    {
        QFETCH(int, layout);
        QFETCH(int, rank);
        const RunSpec spec = specOf(dataset(), layouts()[std::size_t(layout)]);
        QVERIFY(validate(spec).empty());
        std::vector<std::vector<Told>> told(std::size_t(spec.layout.worldSize()));
        runRanksAsThreads(spec.layout.worldSize(), [&](GroupMaker& maker) {
            told[std::size_t(maker.rank().value)] = takeSteps(spec, maker, rank);
        });
        for (const auto& others : told)
            QVERIFY(others == told.front());

        // By hand: 64 grows after two steps, the overflow takes it to a quarter, and two more steps make it
        // grow.
        const std::vector<double> scales{64, 64, 128, 32, 32, 64};
        const LearningRateSchedule schedule(spec.optimizer, spec.launch.steps);
        for (int step = 1; step <= kSteps; ++step) {
            const Told& now = told.front()[std::size_t(step - 1)];
            const int updates = step < kOverflowStep ? step : step - 1;
            QCOMPARE(now.skipped, step == kOverflowStep);
            QCOMPARE(now.moved, step != kOverflowStep);
            QCOMPARE(now.lossScale, scales[std::size_t(step - 1)]);
            QCOMPARE(now.next.scale, scales[std::size_t(step)]);
            QCOMPARE(now.next.skippedSteps, std::int64_t(step - updates));
            QCOMPARE(now.updates, std::int64_t(updates));
            QCOMPARE(now.learningRate, schedule.at(now.skipped ? updates + 1 : updates));
        }
    }

    // Real overflows of a scale that starts far too high and grows often, before, at and after the break.
    void resumesAsIfNothingHadHappened_data()
    {
        QTest::addColumn<int>("layout");
        for (const std::size_t layout : {0, 3, 5, 12})
            QTest::addRow("%s", layouts()[layout].name) << int(layout);
    }
    void resumesAsIfNothingHadHappened()
    {
        QFETCH(int, layout);
        RunSpec spec = specOf(dataset(), layouts()[std::size_t(layout)]);
        spec.precision.lossScale = {.initial = 0x1p24, .growthInterval = 3};
        QVERIFY(trainAsThreads(path("whole"), spec, {1, 16}).ok());
        QVERIFY(trainAsThreads(path("broken"), spec, {1, 7}).ok());
        QVERIFY(trainAsThreads(path("broken"), spec, {2, 16}).ok());
        const auto whole = stepsOf(path("whole"));
        const auto broken = stepsOf(path("broken"));
        QCOMPARE(whole.size(), std::size_t(16));
        QCOMPARE(broken.size(), whole.size());
        int skipped = 0;
        for (std::size_t i = 0; i < whole.size(); ++i) {
            skipped += whole[i].skipped;
            QCOMPARE(broken[i].skipped, whole[i].skipped);
            QCOMPARE(broken[i].lossScale, whole[i].lossScale);
            QCOMPARE(broken[i].learningRate, whole[i].learningRate);
            QCOMPARE(broken[i].loss, whole[i].loss);
        }
        qInfo("%d of 16 steps skipped, last scale %g", skipped, whole.back().lossScale);
        QVERIFY(skipped >= 2 && skipped <= 12);
        const auto events = eventsOf(path("whole"));
        QCOMPARE(std::count_if(events.begin(), events.end(),
                               [](const EventRecord& event) { return event.kind == "step-skipped"; }),
                 skipped);
    }

    // Gradients of float16 differ from exact ones by at most k C^(L+1) u in norm (engine notes: k = 4,
    // C = 1.03, u = 2^-11), and so do the losses at first; weights that follow such gradients can lose at
    // most the same share of what they have gained.
    void staysCloseToFloat32()
    {
        RunSpec spec = tinySpec(dataset(), 2, ComputeType::Float16);
        spec.model.dropout = 0;
        spec.model.attentionDropout = 0;
        QVERIFY(trainAsThreads(path("float16"), spec, {1, 20}).ok());
        spec.precision.compute = ComputeType::Float32;
        QVERIFY(trainAsThreads(path("float32"), spec, {1, 20}).ok());
        const auto half = stepsOf(path("float16"));
        const auto single = stepsOf(path("float32"));
        const double bound = 4 * std::pow(1.03, spec.model.layers + 1) * 0x1p-11;
        const double norm = std::abs(half[0].gradientNorm / single[0].gradientNorm - 1);
        const double losses = largestDifference(single, half);
        qInfo("first gradient norm differs by %.1e, losses by %.1e; bound %.1e", norm, losses, bound);
        QVERIFY(norm < bound);
        QVERIFY(losses < 2 * bound);
        QVERIFY(losses > 0);
    }

    void endsWhereLoweringTheScaleCannotHelp()
    {
        RunSpec spec = tinySpec(dataset(), 2, ComputeType::Float16);
        spec.precision.lossScale = {.initial = 0x1p30, .minimum = 0x1p28};
        const Status status = trainAsThreads(path("run"), spec, {1, 10});
        QVERIFY(!status.ok());
        QVERIFY2(status.error().message.find("the gradient norm of step 3 is ") != std::string::npos,
                 status.error().message.c_str());
    }

    void init() { m_folder = std::make_unique<QTemporaryDir>(); }

private:
    fs::path dataset() const { return fs::path(m_data.path().toStdString()) / "data"; }
    fs::path path(const char* name) const { return fs::path(m_folder->path().toStdString()) / name; }

    QTemporaryDir m_data;
    std::unique_ptr<QTemporaryDir> m_folder;
};

QTEST_APPLESS_MAIN(TestLossScaling)
#include "tst_loss_scaling.moc"
