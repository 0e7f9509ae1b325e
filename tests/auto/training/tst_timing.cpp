#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <chrono>
#include <random>
#include <thread>

#include "engine/base/file.h"
#include "engine/checkpoint/format/checkpoint_folder.h"
#include "engine/comm/transport.h"
#include "engine/records/journal.h"
#include "engine/spec/validate.h"
#include "tests/auto/training/train_as_threads.h"
#include "tests/auto/training/training_fixture.h"
#include "tests/support/checkpoint/small_checkpoint.h"

using namespace trainyard;
namespace fs = std::filesystem;

namespace {

/// Lets the rank come late to every collective and message, each time by another share of 3 ms.
class LateTransport final : public Transport {
public:
    explicit LateTransport(std::unique_ptr<Transport> inner) : m_inner(std::move(inner)) {}

    Rank rank() const override { return m_inner->rank(); }
    WorldSize size() const override { return m_inner->size(); }
    void allReduce(FloatSpan values, ReduceOp op) override { late().allReduce(values, op); }
    void broadcast(std::span<std::byte> bytes, Rank root) override { late().broadcast(bytes, root); }
    std::vector<std::string> gather(std::string_view bytes) override { return late().gather(bytes); }
    void barrier() override { late().barrier(); }
    void allGather(std::span<std::byte> all) override { late().allGather(all); }
    void reduceScatter(FloatSpan values) override { late().reduceScatter(values); }
    void send(std::span<const std::byte> bytes, Rank to) override { late().send(bytes, to); }
    void receive(std::span<std::byte> bytes, Rank from) override { late().receive(bytes, from); }
    bool tryReceive(std::span<std::byte> bytes, Rank from) override { return late().tryReceive(bytes, from); }

private:
    Transport& late()
    {
        std::this_thread::sleep_for(std::chrono::microseconds(m_delay(m_random)));
        return *m_inner;
    }

    std::unique_ptr<Transport> m_inner;
    std::mt19937 m_random{std::random_device{}()};
    std::uniform_int_distribution<int> m_delay{0, 3000};
};

using Schedule = PipelineScheduleKind;

struct Case {
    const char* name;
    ParallelLayout layout;
    MemorySpec memory{};
};

std::vector<Case> cases()
{
    return {
        {"data 3", {.data = 3}},
        {"data 2, ZeRO 1", {.data = 2}, {.zeroStage = 1}},
        {"data 2, tensor 2, ZeRO 2", {.data = 2, .tensor = 2}, {.zeroStage = 2}},
        {"data 2, tensor 2, ZeRO 3, full recomputation",
         {.data = 2, .tensor = 2, .sequence = true},
         {.zeroStage = 3, .recompute = RecomputeKind::Full}},
        {"data 2, 1f1b 2", {.data = 2, .pipeline = 2}},
        {"zero-bubble 4", {.pipeline = 4, .schedule = Schedule::ZeroBubble}},
        {"interleaved 2 x 2, offload",
         {.pipeline = 2, .schedule = Schedule::Interleaved, .virtualStages = 2},
         {.offloadActivations = true}},
    };
}

RunSpec specOf(const fs::path& dataset, const ParallelLayout& layout, const MemorySpec& memory)
{
    RunSpec spec = tinySpec(dataset, 1, ComputeType::Float32);
    spec.model.layers = 4;
    spec.launch.steps = 5;
    spec.layout = layout;
    spec.layout.bucketSize = 64 * kKiB;
    spec.memory = memory;
    const int micro = layout.data == 3 ? 1 : 2;
    spec.batch = {4 * layout.data * micro, micro, 4};
    spec.cluster.nodes.front().slotCount = layout.worldSize();
    return spec;
}

/// Everything the last checkpoint says, hashes of all tensors among it.
std::string lastManifest(const fs::path& run)
{
    return readFile(startingCheckpoint(run / "checkpoints").value().value() / "manifest.json").value();
}

std::vector<PipelineTrace> tracesOf(const fs::path& run)
{
    std::vector<PipelineTrace> traces;
    for (const Record& record : readJournal(run / "journal" / "steps").value().records) {
        if (const auto* trace = std::get_if<PipelineTrace>(&record.payload))
            traces.push_back(*trace);
    }
    return traces;
}

bool equalSteps(const fs::path& a, const fs::path& b)
{
    return largestDifference(stepsOf(a), stepsOf(b)) == 0 &&
           largestNormDifference(stepsOf(a), stepsOf(b)) == 0;
}

} // namespace

/// What a run computes depends neither on when a rank comes to a collective nor on which host it lies.
class TestTiming : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { QVERIFY(writeTinyDataset(dataset()).ok()); }

    void lateRanksChangeNothing_data()
    {
        QTest::addColumn<int>("index");
        for (std::size_t i = 0; i < cases().size(); ++i)
            QTest::addRow("%s", cases()[i].name) << int(i);
    }
    void lateRanksChangeNothing()
    {
        QFETCH(int, index);
        const Case one = cases()[std::size_t(index)];
        const RunSpec spec = specOf(dataset(), one.layout, one.memory);
        QVERIFY(validate(spec).empty());
        const auto late = [](std::unique_ptr<Transport> inner) -> std::unique_ptr<Transport> {
            return std::make_unique<LateTransport>(std::move(inner));
        };
        QVERIFY(trainAsThreads(run("punctual"), spec).ok());
        QVERIFY(trainAsThreads(run("late"), spec, {.decorate = late}).ok());
        QVERIFY(equalSteps(run("punctual"), run("late")));
        QCOMPARE(QString::fromStdString(lastManifest(run("late"))),
                 QString::fromStdString(lastManifest(run("punctual"))));
    }

    void everyPlacementGivesTheSameBits()
    {
        for (const char* placement : {"DPT", "DTP", "PDT", "PTD", "TDP", "TPD", "cluster", "spread"}) {
            const ParallelLayout layout{.data = 2, .tensor = 2, .pipeline = 2, .placement = placement};
            QVERIFY(trainAsThreads(run(placement), specOf(dataset(), layout, {})).ok());
            QVERIFY2(equalSteps(run("DPT"), run(placement)), placement);
        }
    }

    void tracesEveryPassOfAStep_data()
    {
        QTest::addColumn<int>("index");
        QTest::addColumn<int>("ranks");
        QTest::addColumn<int>("chunks");
        QTest::addRow("no pipeline") << 0 << 1 << 1;
        QTest::addRow("1f1b") << 4 << 2 << 1;
        QTest::addRow("zero-bubble") << 5 << 4 << 1;
        QTest::addRow("interleaved") << 6 << 2 << 2;
    }
    void tracesEveryPassOfAStep()
    {
        QFETCH(int, index);
        QFETCH(int, ranks);
        QFETCH(int, chunks);
        const Case one = cases()[std::size_t(index)];
        QVERIFY(trainAsThreads(run("traced"), specOf(dataset(), one.layout, one.memory)).ok());
        const std::vector<PipelineTrace> traces = tracesOf(run("traced"));
        QCOMPARE(traces.size(), std::size_t(1)); // of five steps the third
        const PipelineTrace& trace = traces.front();
        QCOMPARE(trace.step, std::int64_t(3));
        QCOMPARE(trace.chunks, chunks);
        QCOMPARE(trace.microBatches, 4);
        QCOMPARE(int(trace.ranks.size()), ranks);
        for (const auto& spans : trace.ranks) {
            const auto count = [&](TracedWork work) {
                return int(std::ranges::count(spans, work, &TracedSpan::work));
            };
            QCOMPARE(count(TracedWork::Forward), 4 * chunks);
            QCOMPARE(count(TracedWork::Backward) + count(TracedWork::BackwardWeight), 4 * chunks);
            QCOMPARE(count(TracedWork::Optimizer), 1);
            for (std::size_t i = 0; i < spans.size(); ++i) {
                QVERIFY(spans[i].end >= spans[i].start);
                QVERIFY(i == 0 || spans[i].start >= spans[i - 1].end); // a rank does one thing at a time
            }
        }
    }

    void cleanup()
    {
        for (const auto& entry : fs::directory_iterator(m_folder.path().toStdString())) {
            if (entry.path() != dataset())
                fs::remove_all(entry.path());
        }
    }

private:
    fs::path dataset() const { return run("data"); }
    fs::path run(const char* name) const { return fs::path(m_folder.path().toStdString()) / name; }

    QTemporaryDir m_folder;
};

QTEST_APPLESS_MAIN(TestTiming)
#include "tst_timing.moc"
