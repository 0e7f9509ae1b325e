#include <ATen/ops/ones_like.h>

#include "engine/base/file.h"
#include "engine/training/data/training_data.h"
#include "tests/auto/training/training_fixture.h"

#include <QTemporaryDir>
#include <QTest> // after LibTorch, which uses the name "slots"

#include <map>
#include <set>

using namespace trainyard;

namespace {

/// Content of a sample, enough to tell two apart.
std::string contentOf(const TokenBatch& batch, std::int64_t row)
{
    std::string content;
    const auto values = batch.inputIds.accessor<std::int64_t, 2>();
    for (std::int64_t i = 0; i < batch.sequenceLength(); ++i)
        content += std::to_string(values[row][i]) + " ";
    return content;
}

/// A batch without padding has none.
at::Tensor maskOf(const TokenBatch& batch)
{
    return batch.attentionMask.defined() ? batch.attentionMask : at::ones_like(batch.inputIds);
}

} // namespace

class TestStepLoader : public QObject {
    Q_OBJECT

private slots:
    void initTestCase()
    {
        m_dataset = std::filesystem::path(m_folder.path().toStdString()) / "data";
        QVERIFY(writeTinyDataset(m_dataset).ok());
    }

    void feedsEveryStepTheSameSamplesWhateverTheRanks_data()
    {
        QTest::addColumn<int>("ranks");
        for (const int ranks : {2, 4})
            QTest::addRow("%d ranks", ranks) << ranks;
    }
    void feedsEveryStepTheSameSamplesWhateverTheRanks()
    {
        QFETCH(int, ranks);
        QCOMPARE(samplesOfSteps(ranks, 0, 45),
                 samplesOfSteps(1, 0, 45)); // 45 * 8 > 300: into the second epoch
    }

    void goesOnWhereItWasStopped()
    {
        const auto whole = samplesOfSteps(1, 0, 10);
        const auto rest = samplesOfSteps(2, 6 * 8, 4);
        QVERIFY(std::equal(rest.begin(), rest.end(), whole.begin() + 6));
    }

    void seesEveryRowOncePerEpoch()
    {
        std::multiset<std::string> contents;
        const auto steps = samplesOfSteps(1, 0, 75);
        for (std::size_t i = 0; i < 75; ++i) {
            for (const auto& [sample, content] : steps[i]) {
                if (sample < 300)
                    contents.insert(content);
            }
        }
        QCOMPARE(contents.size(), std::size_t(300));
    }

    void givesADecoderTheTextAndEveryNextToken()
    {
        RunSpec spec = tinySpec(m_dataset, 1, ComputeType::Float64);
        auto masked = startLoading(TrainingData::open(spec).value(), spec, {Rank{0}, WorldSize{1}, 0});
        spec.model.setFamily(ModelFamily::Gpt);
        auto text = startLoading(TrainingData::open(spec).value(), spec, {Rank{0}, WorldSize{1}, 0});
        const StepInput rows = masked->next().value();
        const StepInput input = text->next().value();
        QCOMPARE(input.tokens, rows.tokens);
        QCOMPARE(input.targets, rows.tokens - rows.sequences);
        for (std::size_t i = 0; i < input.microBatches.size(); ++i) {
            const TokenBatch& before = rows.microBatches[i].batch;
            const TokenBatch& batch = input.microBatches[i].batch;
            QVERIFY(!batch.attentionMask.defined() && !batch.sequenceLabels.defined());
            const at::Tensor ids = batch.inputIds.view({-1});
            QVERIFY(ids.take(batch.targetPositions + 1).equal(batch.targets));
            QVERIFY(ids.take(before.targetPositions).equal(before.targets)); // as they were before masking
            const at::Tensor differs = ids.ne(before.inputIds.view({-1}));
            QCOMPARE(differs.sum().item<std::int64_t>(), before.targetCount());
        }
    }

    void readsRunningTextForADecoderAlone()
    {
        const auto folder = std::filesystem::path(m_folder.path().toStdString()) / "text";
        DatasetShape shape;
        shape.predictions = 0;
        QVERIFY(writeDataset(folder, shape).ok());
        RunSpec spec = tinySpec(folder, 1, ComputeType::Float64);
        QVERIFY(TrainingData::open(spec).error().message.find("model.family: is bert") != std::string::npos);
        spec.model.setFamily(ModelFamily::Gpt);
        auto loader = startLoading(TrainingData::open(spec).value(), spec, {Rank{0}, WorldSize{1}, 0});
        const StepInput input = loader->next().value();
        QCOMPARE(input.tokens, std::int64_t(8 * 32)); // no padding
        QCOMPARE(input.targets, std::int64_t(8 * 31));
        for (const MicroBatch& micro : input.microBatches) {
            const at::Tensor ids = micro.batch.inputIds.view({-1});
            QVERIFY(ids.take(micro.batch.targetPositions + 1).equal(micro.batch.targets));
            QVERIFY(ids.ge(10).all().item<bool>()); // nothing is masked
        }
    }

    void makesTensorsOfTheRows()
    {
        const RunSpec spec = tinySpec(m_dataset, 1, ComputeType::Float64);
        auto loader = startLoading(TrainingData::open(spec).value(), spec, {Rank{0}, WorldSize{1}, 0});
        const StepInput input = loader->next().value();
        QCOMPARE(input.microBatches.size(), std::size_t(4));
        QCOMPARE(input.sequences, std::int64_t(8));
        std::int64_t masked = 0;
        std::int64_t tokens = 0;
        for (const MicroBatch& micro : input.microBatches) {
            const TokenBatch& batch = micro.batch;
            QCOMPARE(batch.inputIds.sizes(), at::IntArrayRef({2, 32}));
            masked += batch.targetCount();
            tokens += maskOf(batch).sum().item<std::int64_t>();
            // The data set shows every masked position as token 4 and masks odd positions from 1 on.
            const at::Tensor shown = batch.inputIds.view({-1}).index_select(0, batch.targetPositions);
            QVERIFY(shown.eq(4).all().item<bool>());
            QCOMPARE(batch.inputIds.eq(4).sum().item<std::int64_t>(), batch.targetCount());
            QVERIFY(batch.tokenTypeIds.le(maskOf(batch)).all().item<bool>());
        }
        QCOMPARE(input.targets, masked);
        QCOMPARE(input.tokens, tokens);
    }

    void hasNoMaskWithoutPadding()
    {
        RowBlock rows(4, 1);
        rows.resize(2);
        rows.inputMask.assign(8, 1);
        QVERIFY(!makeMicroBatch(rows, ModelFamily::Bert, {0, 1}).batch.attentionMask.defined());
        rows.inputMask[7] = 0;
        const at::Tensor mask = makeMicroBatch(rows, ModelFamily::Bert, {0, 1}).batch.attentionMask;
        QVERIFY(mask.defined() && mask.sum().item<std::int64_t>() == 7);
    }

    void packsTheSameSamples()
    {
        RunSpec spec = tinySpec(m_dataset, 1, ComputeType::Float64);
        auto rows = startLoading(TrainingData::open(spec).value(), spec, {Rank{0}, WorldSize{1}, 0});
        spec.batch.packing = true;
        auto loader = startLoading(TrainingData::open(spec).value(), spec, {Rank{0}, WorldSize{1}, 0});
        const StepInput padded = rows->next().value();
        const StepInput input = loader->next().value();
        QCOMPARE(input.targets, padded.targets);
        QCOMPARE(input.sequences, padded.sequences);
        QCOMPARE(input.tokens, padded.tokens);
        for (std::size_t i = 0; i < input.microBatches.size(); ++i) {
            const TokenBatch& batch = input.microBatches[i].batch;
            const TokenBatch& row = padded.microBatches[i].batch;
            QCOMPARE(batch.tokens(), input.microBatches[i].tokens); // no padding is left
            QVERIFY(batch.inputIds.equal(row.inputIds.masked_select(maskOf(row).to(at::kBool))));
            QCOMPARE(batch.sampleIndices, row.sampleIndices);
        }
    }

    void namesTheShardThatIsNotTheManifests()
    {
        const auto copy = std::filesystem::path(m_folder.path().toStdString()) / "wrong";
        std::filesystem::copy(m_dataset, copy);
        std::filesystem::copy_file(copy / "tiny_training_0.hdf5", copy / "tiny_training_1.hdf5",
                                   std::filesystem::copy_options::overwrite_existing);
        const auto data = TrainingData::open(tinySpec(copy, 1, ComputeType::Float64));
        QVERIFY(!data.ok());
        QCOMPARE(data.error().kind, ErrorKind::BadInput);
        QVERIFY(data.error().message.find("tiny_training_1.hdf5") != std::string::npos);
    }

    void refusesRowsThatDoNotFitTheModel()
    {
        RunSpec spec = tinySpec(m_dataset, 1, ComputeType::Float64);
        spec.model.vocabulary = 96;
        QVERIFY(TrainingData::open(spec).error().message.find("model.vocabulary") != std::string::npos);
        spec.model.vocabulary = 97;
        spec.model.maxPositions = 31;
        QVERIFY(TrainingData::open(spec).error().message.find("model.max_positions") != std::string::npos);
    }

private:
    using Samples = std::map<std::uint64_t, std::string>; // sample index to content

    /// What all ranks together read in each step.
    std::vector<Samples> samplesOfSteps(int ranks, std::uint64_t consumed, int steps)
    {
        const RunSpec spec = tinySpec(m_dataset, ranks, ComputeType::Float64);
        std::vector<Samples> all(static_cast<std::size_t>(steps));
        for (int rank = 0; rank < ranks; ++rank) {
            auto loader = startLoading(TrainingData::open(spec).value(), spec,
                                       {Rank{rank}, WorldSize{ranks}, consumed});
            for (Samples& samples : all) {
                for (const MicroBatch& micro : loader->next().value().microBatches) {
                    for (std::size_t row = 0; row < micro.batch.sampleIndices.size(); ++row)
                        samples[micro.batch.sampleIndices[row]] =
                            contentOf(micro.batch, static_cast<std::int64_t>(row));
                }
            }
        }
        return all;
    }

    QTemporaryDir m_folder;
    std::filesystem::path m_dataset;
};

QTEST_APPLESS_MAIN(TestStepLoader)
#include "tst_step_loader.moc"
