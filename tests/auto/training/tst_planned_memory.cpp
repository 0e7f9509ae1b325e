#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "engine/planner/memory/memory_fit.h"
#include "engine/planner/memory/memory_model.h"
#include "engine/spec/validate.h"
#include "tests/auto/training/training_fixture.h"
#include "tests/auto/training/worker_process.h"
#include "tests/support/layouts/engine_layouts.h"

using namespace trainyard;

namespace fs = std::filesystem;

namespace {

constexpr double kTolerance = 0.02; // both count tensors, to the byte where nothing is left out
constexpr double kPartTolerance = 0.03; ///< above, see hasPartLess()
constexpr int kSteps = 3;
constexpr int kPortableRow = 1; ///< the one in bfloat16 that every processor can do: one rank
/// Those that are also run with adapters: one rank, packed, ZeRO 3, tensor with sequence, two stages.
constexpr auto kWithAdapters = {0, 5, 11, 14, 19};

DatasetShape datasetOf(const SequenceShape& rows)
{
    return {.rows = 64,
            .length = rows.length,
            .predictions = rows.maxPredictions,
            .vocabulary = kLayoutVocabulary,
            .full = true};
}

double mebibytes(Bytes bytes)
{
    return static_cast<double>(bytes) / double(kMiB);
}

/// What the instructions of a processor change: how products of narrow numbers are made. So where a test
/// shows another processor (support/processor), the other layouts would give the same once more.
bool isNarrow(const RunSpec& spec)
{
    return spec.precision.compute == ComputeType::BFloat16 || spec.precision.compute == ComputeType::Float16;
}

/// At its peak, of the rank that holds most. The first step has what only the first one has.
RankStats largestRank(const std::vector<StepRecord>& steps)
{
    RankStats largest;
    for (std::size_t i = 1; i < steps.size(); ++i) {
        for (const RankStats& rank : steps[i].ranks)
            largest = rank.peakTotal > largest.peakTotal ? rank : largest;
    }
    return largest;
}

/// The peak is in the forward pass then, where one part of the weights less is gathered than is planned.
bool hasPartLess(const RunSpec& spec, NarrowProducts products)
{
    return spec.memory.zeroStage == 3 && products == NarrowProducts::Widened;
}

} // namespace

/// The planner's memory of the rank that holds most, against what the real worker's ranks hold at the peak of
/// a step.
class TestPlannedMemory : public QObject {
    Q_OBJECT

private slots:
    void initTestCase()
    {
        QVERIFY(writeDataset(root() / "encoder", datasetOf(kEncoderRows)).ok());
        QVERIFY(writeDataset(root() / "decoder", datasetOf(kDecoderRows)).ok());
    }

    void isWhatRanksHoldAtTheirPeak_data()
    {
        QTest::addColumn<int>("number");
        QTest::addColumn<bool>("hasAdapters");
        const bool onLesserProcessor = qEnvironmentVariableIsSet("TRAINYARD_TEST_PROCESSOR");
        for (std::size_t i = 0; i < layouts().size(); ++i) {
            if (isNarrow(layouts()[i].spec) || !onLesserProcessor)
                QTest::addRow("%s", layouts()[i].name.c_str()) << int(i) << false;
        }
        for (const int i : kWithAdapters) {
            const EngineLayout layout = layouts()[std::size_t(i)];
            if (isNarrow(layout.spec) || !onLesserProcessor)
                QTest::addRow("%s, adapters", layout.name.c_str()) << i << true;
        }
    }
    void isWhatRanksHoldAtTheirPeak()
    {
        QFETCH(int, number);
        QFETCH(bool, hasAdapters);
        EngineLayout layout = layouts()[std::size_t(number)];
        if (hasAdapters)
            layout.spec.model.lora = {.rank = 8, .dropout = 0.1};
        const HostMemory here{.ranks = layout.spec.layout.worldSize(), .math = processorMathHere()};
        const NarrowProducts products = productsOn(layout.spec, here);
        if (products == NarrowProducts::Portable && number != kPortableRow)
            QSKIP(
                "a step in bfloat16 takes tens of seconds on a processor with neither AVX-512 nor bfloat16");
        for (const Diagnostic& problem : validate(layout.spec))
            qInfo("%s: %s", problem.path.c_str(), problem.message.c_str());
        QVERIFY(validate(layout.spec).empty());
        const fs::path run = root() / fmt::format("run{}{}", number, hasAdapters ? "-adapters" : "");
        QVERIFY(makeRunDirectory(run, layout.spec).ok());
        QCOMPARE(runWorkers({{{layout.spec.layout.worldSize(), run}}, 1, kSteps}), 0);
        const RankStats measured = largestRank(stepsOf(run));
        const MemoryEstimate planned = estimateMemory(layout.spec, rowsOf(layout), products);
        const double error = double(planned.total()) / double(measured.peakTotal) - 1;
        print(planned, measured, error);
        QVERIFY(error >= -kTolerance);
        QVERIFY(error <= (hasPartLess(layout.spec, products) ? kPartTolerance : kTolerance));
    }

private:
    static void print(const MemoryEstimate& planned, const RankStats& measured, double error)
    {
        QString line = QString::asprintf("%6.1f of %6.1f MiB, %+5.1f %%:", mebibytes(planned.total()),
                                         mebibytes(measured.peakTotal), 100 * error);
        for (std::size_t i = 0; i < kMemoryCategories; ++i) {
            if (planned.bytes[i] + measured.peakMemory[i] > kMiB / 20)
                line += QString::asprintf(" %s %.1f of %.1f", nameOf(MemoryCategory(i)).data(),
                                          mebibytes(planned.bytes[i]), mebibytes(measured.peakMemory[i]));
        }
        qInfo("%s", qPrintable(line));
    }

    fs::path root() const { return m_directory.path().toStdString(); }
    std::vector<EngineLayout> layouts() const
    {
        return engineLayouts(root() / "encoder", root() / "decoder");
    }

    QTemporaryDir m_directory;
};

QTEST_GUILESS_MAIN(TestPlannedMemory)
#include "tst_planned_memory.moc"
