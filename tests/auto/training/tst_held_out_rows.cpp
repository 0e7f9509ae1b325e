#include "datasets/shards/manifest.h"
#include "engine/training/data/held_out_rows.h"
#include "tests/auto/training/training_fixture.h"

#include <QTemporaryDir>
#include <QTest> // after LibTorch, which uses the name "slots"

#include <set>

using namespace trainyard;

namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t kTestRows = 19; // of two batches of 8 and a third of 3

/// What an evaluation sees of one sequence.
std::string seen(const TokenBatch& batch, std::int64_t row)
{
    std::string text;
    for (std::int64_t i = 0; i < batch.sequenceLength(); ++i)
        text += std::to_string(batch.inputIds[row][i].item<std::int64_t>()) + " ";
    for (std::int64_t m = 0; m < batch.targetCount(); ++m) {
        if (batch.targetPositions[m].item<std::int64_t>() / batch.sequenceLength() == row)
            text += "> " + std::to_string(batch.targets[m].item<std::int64_t>()) + " ";
    }
    return text;
}

} // namespace

class TestHeldOutRows : public QObject {
    Q_OBJECT

private slots:
    void initTestCase()
    {
        QVERIFY(writeDataset(folder(), {.testRows = kTestRows}).ok());
        QVERIFY(writeDataset(m_folder.filePath("none").toStdString(), {}).ok());
    }

    void showsTheSameRowsInEveryLayout_data()
    {
        QTest::addColumn<int>("ranks");
        QTest::addColumn<int>("micro");
        QTest::addRow("accumulated") << 1 << 2;
        QTest::addRow("two ranks") << 2 << 2;
        QTest::addRow("four ranks") << 4 << 2;
        QTest::addRow("four ranks, single rows") << 4 << 1;
    }
    void showsTheSameRowsInEveryLayout()
    {
        QFETCH(int, ranks);
        QFETCH(int, micro);
        const std::vector<std::string> rows = rowsOf(ranks, micro);
        QCOMPARE(rows.size(), std::size_t(kTestRows));
        QVERIFY(rows == rowsOf(1, 8));
        QCOMPARE(std::set<std::string>(rows.begin(), rows.end()).size(), rows.size());
    }

    void fillsTheLastBatchUp()
    {
        RunSpec spec = specOf(2, 2);
        auto rows = open(spec);
        QCOMPARE(rows.schedule().batches, std::int64_t(3));
        const auto first = rows.read(2, 0, false).value(); // rows 16 to 18
        const auto second = rows.read(2, 1, false).value();
        QCOMPARE(first.size(), std::size_t(2));
        QCOMPARE(first[0].batch.sequenceLabels.size(0), std::int64_t(2));
        QCOMPARE(first[1].batch.sequenceLabels.size(0), std::int64_t(1));
        QCOMPARE(second[0].batch.sequenceLabels.size(0), std::int64_t(0));
        QCOMPARE(second[0].batch.targetCount(), std::int64_t(0));
        QCOMPARE(second[0].batch.sequences(), std::int64_t(2));
        QCOMPARE(second[0].tokens, std::int64_t(2)); // one of each row
    }

    void packsFillerAsSingleTokens()
    {
        RunSpec spec = specOf(2, 2);
        spec.batch.packing = true;
        const auto filler = open(spec).read(2, 1, false).value();
        QVERIFY(filler[0].batch.packedLengths == std::vector<std::int64_t>({1, 1}));
    }

    void isOffWhereThereIsNothingToRead()
    {
        RunSpec spec = specOf(1, 2);
        const Manifest without = Manifest::load(m_folder.filePath("none").toStdString()).value();
        QVERIFY(!HeldOutRows::open(spec, without).value());
        spec.evaluation.batches = 0;
        QVERIFY(!HeldOutRows::open(spec, manifest()).value());
    }

    void readsAnotherDataSet()
    {
        RunSpec spec = specOf(1, 2);
        spec.dataset.path = m_folder.filePath("none").toStdString();
        spec.evaluation.dataset = folder();
        const Manifest without = Manifest::load(spec.dataset.path).value();
        QCOMPARE(HeldOutRows::open(spec, without).value()->schedule().rows, kTestRows);
        spec.evaluation.dataset = "/nowhere";
        const Error error = HeldOutRows::open(spec, without).error();
        QCOMPARE(error.kind, ErrorKind::BadInput);
        QVERIFY2(error.message.starts_with("evaluation.dataset: /nowhere"), error.message.c_str());
        spec.evaluation.dataset = spec.dataset.path;
        QVERIFY(HeldOutRows::open(spec, without).error().message.find("has no test rows") !=
                std::string::npos);
    }

    void tellsTheBytesOfAToken()
    {
        QVERIFY(!open(specOf(1, 2)).bytesPerToken());
        Manifest known = manifest();
        for (ShardEntry& shard : known.shards) {
            shard.tokens = 100 * shard.rows;
            shard.textBytes = (shard.training ? 300 : 450) * shard.rows;
        }
        QCOMPARE(HeldOutRows::open(specOf(1, 2), known).value()->bytesPerToken().value(), 4.5);
        known.shards.back().textBytes = 0;
        QVERIFY(!HeldOutRows::open(specOf(1, 2), known).value()->bytesPerToken());
    }

private:
    fs::path folder() const { return m_folder.filePath("data").toStdString(); }
    Manifest manifest() const { return Manifest::load(folder()).value(); }

    RunSpec specOf(int ranks, int micro) const
    {
        RunSpec spec = tinySpec(folder(), ranks, ComputeType::Float32);
        spec.batch = {8, micro, 8 / micro / ranks};
        spec.evaluation.everySteps = 10;
        return spec;
    }

    HeldOutRows open(const RunSpec& spec) const { return *HeldOutRows::open(spec, manifest()).value(); }

    /// In the order of an evaluation, without filler.
    std::vector<std::string> rowsOf(int ranks, int micro) const
    {
        std::vector<std::string> rows;
        HeldOutRows source = open(specOf(ranks, micro));
        for (std::int64_t batch = 0; batch < source.schedule().batches; ++batch) {
            for (int rank = 0; rank < ranks; ++rank) {
                for (const MicroBatch& part : source.read(batch, rank, false).value()) {
                    for (std::int64_t row = 0; row < part.batch.sequenceLabels.size(0); ++row)
                        rows.push_back(seen(part.batch, row));
                }
            }
        }
        return rows;
    }

    QTemporaryDir m_folder;
};

QTEST_APPLESS_MAIN(TestHeldOutRows)
#include "tst_held_out_rows.moc"
