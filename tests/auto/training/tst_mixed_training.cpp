#include "engine/comm/agreement.h"
#include "engine/memory/accounting_allocator.h"
#include "engine/spec/phases/batch_ramp.h"
#include "engine/spec/phases/data_mix.h"
#include "engine/spec/validate.h"
#include "engine/training/data/training_data.h"
#include "tests/auto/training/checkpoint_content.h"
#include "tests/auto/training/train_as_threads.h"
#include "tests/auto/training/training_fixture.h"

#include <ATen/Parallel.h>

#include <QTemporaryDir>
#include <QTest>

#include <map>

using namespace trainyard;

namespace fs = std::filesystem;

namespace {

constexpr int kMixedSteps = 14;

/// Content of a sample, enough to tell two apart.
std::string wordsOf(const TokenBatch& batch, std::int64_t row)
{
    std::string content;
    const auto values = batch.inputIds.accessor<std::int64_t, 2>();
    for (std::int64_t i = 0; i < batch.sequenceLength(); ++i)
        content += std::to_string(values[row][i]) + " ";
    return content;
}

using NumberedSamples = std::map<std::uint64_t, std::string>; // number to content

/// What a rank reads in its next steps.
void readSteps(StepLoader& loader, int steps, NumberedSamples& samples)
{
    for (int step = 0; step < steps; ++step) {
        const StepInput input = loader.next().value();
        for (const MicroBatch& micro : input.microBatches) {
            for (std::size_t row = 0; row < micro.batch.sampleIndices.size(); ++row)
                samples[micro.batch.sampleIndices[row]] =
                    wordsOf(micro.batch, static_cast<std::int64_t>(row));
        }
    }
}

NumberedSamples samplesRead(const RunSpec& spec, int steps, std::uint64_t consumed = 0)
{
    NumberedSamples samples;
    for (int rank = 0; rank < spec.layout.data; ++rank) {
        const auto loader = startLoading(TrainingData::open(spec).value(), spec,
                                         {Rank{rank}, WorldSize{spec.layout.data}, consumed});
        readSteps(*loader, steps, samples);
    }
    return samples;
}

} // namespace

/// Runs whose rows come from several data sets, and whose batch grows.
class TestMixedTraining : public QObject {
    Q_OBJECT

private slots:
    void initTestCase()
    {
        AccountingAllocator::install();
        at::set_num_threads(1);
        QVERIFY(writeDataset(data("wiki"), {.rows = 90, .testRows = 20}).ok());
        QVERIFY(writeDataset(data("books"), {.rows = 40, .testRows = 4}, 1).ok());
        QVERIFY(writeDataset(data("long"), {.rows = 40, .length = 24}, 2).ok());
    }
    void init() { m_folder = std::make_unique<QTemporaryDir>(); }

    /// Sample n of the mix is the next one of its data set's, epochs and all, and the data sets' shares of
    /// the 160 samples are exact.
    void takesTurnsInEveryDataSetsOwnOrder()
    {
        const RunSpec mixed = mixedRun();
        const NumberedSamples samples = samplesRead(mixed, 20);
        QCOMPARE(samples.size(), std::size_t(160));
        const NumberedSamples wiki = samplesRead(runOn("wiki"), 20);
        const NumberedSamples books = samplesRead(runOn("books"), 20);
        DataMix mix(mixed.dataset);
        std::size_t ofBooks = 0;
        for (const auto& [number, content] : samples) {
            const auto [set, sample] = mix.placeOf(number);
            QCOMPARE(content, (set == 0 ? wiki : books).at(sample));
            ofBooks += set;
        }
        QCOMPARE(ofBooks, std::size_t(48)); // 3 of 10; more than the 40 rows that there are
    }

    void givesEachRankItsShare()
    {
        RunSpec run = rampedRun();
        const NumberedSamples alone = samplesRead(run, kMixedSteps);
        QCOMPARE(alone.size(), std::size_t(BatchRamp(run.batch).samplesOf(kMixedSteps)));
        run.layout.data = 2;
        run.batch.accumulation = 4;
        QVERIFY(samplesRead(run, kMixedSteps) == alone);
        // From the middle of the ramp on.
        const std::uint64_t consumed = BatchRamp(run.batch).samplesOf(5);
        NumberedSamples rest = samplesRead(run, kMixedSteps - 5, consumed);
        NumberedSamples expected(alone.find(consumed), alone.end());
        QVERIFY(rest == expected);
    }

    void trainsTheSameInEveryLayout_data()
    {
        QTest::addColumn<int>("data");
        QTest::addColumn<int>("pipeline");
        QTest::addColumn<int>("zeroStage");
        QTest::addRow("two ranks") << 2 << 1 << 0;
        QTest::addRow("two ranks, ZeRO 3") << 2 << 1 << 3;
        QTest::addRow("pipeline") << 1 << 2 << 0;
    }
    void trainsTheSameInEveryLayout()
    {
        QFETCH(int, data);
        QFETCH(int, pipeline);
        QFETCH(int, zeroStage);
        RunSpec run = rampedRun();
        QCOMPARE(train("alone", run), std::string());
        run.layout.data = data;
        run.layout.pipeline = pipeline;
        run.memory.zeroStage = zeroStage;
        run.batch.accumulation = 8 / data;
        run.cluster.nodes.front().slotCount = data * pipeline;
        QCOMPARE(validate(run).size(), std::size_t(0));
        QCOMPARE(train("layout", run), std::string());
        const auto steps = stepsOf(path("alone"));
        const auto inLayout = stepsOf(path("layout"));
        QCOMPARE(steps.size(), std::size_t(kMixedSteps));
        for (std::size_t step = 0; step < steps.size(); ++step)
            QCOMPARE(inLayout[step].consumedSamples, steps[step].consumedSamples);
        QCOMPARE(steps.back().consumedSamples, BatchRamp(run.batch).samplesOf(kMixedSteps));
        QVERIFY(steps[0].consumedSamples == 2 && steps.back().consumedSamples < 8 * kMixedSteps);
        QVERIFY(largestDifference(steps, inLayout) < 1e-9);
        QVERIFY(largestNormDifference(steps, inLayout) < 1e-9);
        QVERIFY(largestDifference(evaluationsOf(path("alone")), evaluationsOf(path("layout"))) < 1e-9);
    }

    /// Where the batch is still growing, and later.
    void resumesInsideTheRampAsIfUndisturbed()
    {
        RunSpec run = rampedRun();
        run.layout.data = 2;
        run.batch.accumulation = 4;
        run.cluster.nodes.front().slotCount = 2;
        QCOMPARE(train("whole", run), std::string());
        std::uint32_t attempt = 0;
        for (const int last : {1, 4, 5, 9, kMixedSteps})
            QCOMPARE(train("broken", run, {++attempt, last}), std::string());
        const auto whole = stepsOf(path("whole"));
        const auto broken = stepsOf(path("broken"));
        QCOMPARE(largestDifference(whole, broken), 0.0);
        QCOMPARE(largestNormDifference(whole, broken), 0.0);
        QCOMPARE(latestContentOf(path("whole")).value(), latestContentOf(path("broken")).value());
        QCOMPARE(largestDifference(evaluationsOf(path("whole")), evaluationsOf(path("broken"))), 0.0);
    }

    /// 7 : 3 of the test rows, until the four of the smaller data set are used up.
    void evaluatesOnTheTestRowsOfTheMix()
    {
        RunSpec run = mixedRun();
        run.launch.steps = 2;
        run.evaluation = {.everySteps = 2, .batches = 9};
        QCOMPARE(train("mix", run), std::string());
        const auto records = evaluationsOf(path("mix"));
        QCOMPARE(records.size(), std::size_t(1));
        QCOMPARE(records[0].rows, std::int64_t(DataMix(run.dataset).samplesWithin({20, 4})));
        QVERIFY(records[0].rows >= 4 * 10 / 3 && records[0].rows < 24);
        run.evaluation.dataset = data("wiki");
        QCOMPARE(train("separate", run), std::string());
        QCOMPARE(evaluationsOf(path("separate"))[0].rows, std::int64_t(20));
    }

    void splittingAMixIntoPhasesChangesNothing()
    {
        RunSpec run = mixedRun();
        run.optimizer.schedule = ScheduleKind::Constant;
        run.optimizer.warmupSteps = 0;
        run.launch.steps = 8;
        run.evaluation.batches = 0;
        QCOMPARE(train("whole", run), std::string());
        run.phases = {PhaseSpec{.steps = 5}, PhaseSpec{.steps = 3}}; // 40 samples: the mix begins again
        QCOMPARE(train("split", run), std::string());
        QCOMPARE(largestDifference(stepsOf(path("whole")), stepsOf(path("split"))), 0.0);
        QCOMPARE(latestContentOf(path("whole")).value(), latestContentOf(path("split")).value());
    }

    void refusesRowsThatDoNotGoTogether()
    {
        RunSpec run = mixedRun();
        run.dataset.mix.push_back({data("long"), 1});
        const std::string said = train("run", run);
        QVERIFY2(said.starts_with("dataset.mix[2]: the rows of ") &&
                     said.find("have 24 tokens") != std::string::npos,
                 said.c_str());
        QCOMPARE(stepsOf(path("run")).size(), std::size_t(0));
    }

private:
    std::string train(const char* name, const RunSpec& run, const TrainOptions& options = {})
    {
        const Status status = trainAsThreads(path(name), run, options);
        if (!status.ok())
            qInfo("%s", status.error().text().c_str());
        return status.ok() ? std::string() : status.error().text();
    }
    RunSpec runOn(const char* set) const { return tinySpec(data(set), 1, ComputeType::Float64); }
    RunSpec mixedRun() const
    {
        RunSpec run = runOn("wiki");
        run.dataset = {.path = {}, .mix = {{data("wiki"), 0.7}, {data("books"), 0.3}}};
        return run;
    }
    /// The batch grows from 2 to 8 within 30 sequences.
    RunSpec rampedRun() const
    {
        RunSpec run = mixedRun();
        run.batch = {8, 1, 8, false, {2, 2, 30}};
        run.launch.steps = kMixedSteps;
        run.evaluation = {.everySteps = 4, .batches = 2};
        return run;
    }
    fs::path data(const char* name) const { return fs::path(m_data.path().toStdString()) / name; }
    fs::path path(const char* run) const { return fs::path(m_folder->path().toStdString()) / run; }

    QTemporaryDir m_data;
    std::unique_ptr<QTemporaryDir> m_folder;
};

QTEST_APPLESS_MAIN(TestMixedTraining)
#include "tst_mixed_training.moc"
