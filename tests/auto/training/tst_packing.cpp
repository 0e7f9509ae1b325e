#include <ATen/ops/empty_like.h>

#include "engine/nn/language_model.h"
#include "engine/nn/parameters/initialization.h"
#include "engine/spec/names.h"
#include "engine/training/data/packing.h"
#include "tests/auto/nn/tiny_model.h"
#include "tests/support/tested_device/tested_device.h"

#include <QTest> // after LibTorch, which uses the name "slots"

using namespace trainyard;

namespace {

constexpr DropoutKey kKey{42, 3};
const std::vector<std::int64_t> kLengths{7, 5, 3}; // of tinyBatch()

TokenBatch packedTinyBatch(const ModelSpec& model, std::int64_t multiple = 1)
{
    return packed(tinyBatch(model), kLengths, multiple);
}

std::vector<std::int64_t> valuesOf(const at::Tensor& numbers)
{
    const at::Tensor flat = numbers.contiguous();
    return {flat.const_data_ptr<std::int64_t>(), flat.const_data_ptr<std::int64_t>() + flat.numel()};
}

/// Also biases and norms get numbers without pattern.
LanguageModel filledModel(const ModelSpec& spec)
{
    LanguageModel model(spec, ComputeType::Float64, directRunner(), testedDevice());
    for (const Parameter& parameter : model.parameters().parameters()) {
        at::Tensor noise = at::empty_like(parameter.master);
        fillNormal(noise, 11, parameter.spec.name, 0.3);
        parameter.master.copy_(parameter.spec.initialization == Initialization::One ? noise + 1.0 : noise);
    }
    model.parameters().refreshWorkingCopy();
    return model;
}

/// Largest difference, relative to the largest value.
double differenceOf(const at::Tensor& a, const at::Tensor& b)
{
    return (a - b).abs().max().item<double>() / std::max(1e-3, a.abs().max().item<double>());
}

void addModels()
{
    QTest::addColumn<ModelSpec>("model");
    for (const ModelFamily family : {ModelFamily::Bert, ModelFamily::Gpt}) {
        for (const PositionEncoding positions : {PositionEncoding::Learned, PositionEncoding::Rotary}) {
            ModelSpec model = tinyModel(family);
            model.positions = positions;
            model.dropout = 0.2;
            model.attentionDropout = 0.2;
            QTest::addRow("%s, %s", nameOf(family).data(), nameOf(positions).data()) << model;
        }
    }
}

RowBlock rowsWithMask(const std::vector<std::int8_t>& mask, int length)
{
    RowBlock rows(length, 1);
    rows.resize(mask.size() / std::size_t(length));
    std::copy(mask.begin(), mask.end(), rows.inputMask.begin());
    return rows;
}

} // namespace

class TestPacking : public QObject {
    Q_OBJECT

private slots:
    void countsTheTokensOfEachRow()
    {
        const auto lengths = tokensPerRow(rowsWithMask({1, 1, 0, 1, 1, 1, 1, 0, 0}, 3));
        QCOMPARE(lengths.value(), (std::vector<std::int64_t>{2, 3, 1}));
    }

    void refusesPaddingBetweenTokens()
    {
        const auto lengths = tokensPerRow(rowsWithMask({1, 1, 1, 1, 0, 1}, 3));
        QVERIFY(!lengths.ok());
        QCOMPARE(lengths.error().kind, ErrorKind::BadInput);
        QVERIFY(lengths.error().hint.find("batch.packing") != std::string::npos);
    }

    void keepsEveryTokenOnceAndInOrder()
    {
        const TokenBatch rows = tinyBatch(tinyModel(ModelFamily::Bert));
        const TokenBatch batch = packed(rows, kLengths, 1);
        std::vector<std::int64_t> ids, types, positions;
        for (std::int64_t row = 0; row < 3; ++row) {
            for (std::int64_t i = 0; i < kLengths[std::size_t(row)]; ++i) {
                ids.push_back(rows.inputIds[row][i].item<std::int64_t>());
                types.push_back(rows.tokenTypeIds[row][i].item<std::int64_t>());
                positions.push_back(i);
            }
        }
        QCOMPARE(valuesOf(batch.inputIds), ids);
        QCOMPARE(valuesOf(batch.tokenTypeIds), types);
        QCOMPARE(valuesOf(batch.positionIds), positions);
        QCOMPARE(valuesOf(batch.firstTokens()), (std::vector<std::int64_t>{0, 7, 12}));
        QVERIFY(!batch.attentionMask.defined());
        QCOMPARE(batch.sequences(), std::int64_t(3));
        QCOMPARE(batch.sampleIndices, rows.sampleIndices);
    }

    void movesTargetsWithTheirTokens()
    {
        const ModelSpec model = tinyModel(ModelFamily::Bert);
        const TokenBatch batch = packedTinyBatch(model);
        // 1, 4, 5 | 7, 10, 11 | 14, 16 of rows of 7; padding of 2 tokens lies before the third row.
        QCOMPARE(valuesOf(batch.targetPositions), (std::vector<std::int64_t>{1, 4, 5, 7, 10, 11, 12, 14}));
        QVERIFY(batch.targets.equal(tinyBatch(model).targets));
    }

    void fillsUpToAMultiple()
    {
        const ModelSpec model = tinyModel(ModelFamily::Bert);
        QCOMPARE(packedTinyBatch(model, 5).tokens(), std::int64_t(15));
        const TokenBatch batch = packedTinyBatch(model, 4);
        QCOMPARE(batch.tokens(), std::int64_t(16));
        QCOMPARE(batch.sequences(), std::int64_t(3));
        const std::vector<SequencePlace> places = batch.places();
        QCOMPARE(places.size(), std::size_t(4));
        QCOMPARE(places.back().begin, std::int64_t(15));
        QCOMPARE(places.back().length, std::int64_t(1));
    }

    void changesNoSequence_data() { addModels(); }
    void changesNoSequence()
    {
        QFETCH(ModelSpec, model);
        const LanguageModel engine = filledModel(model);
        const Logits rows = engine.logits(tinyBatch(model), kKey);
        for (const std::int64_t multiple : {1, 4}) {
            const Logits logits = engine.logits(packedTinyBatch(model, multiple), kKey);
            QVERIFY(differenceOf(rows.tokens, logits.tokens) < 1e-13);
            QCOMPARE(logits.sequences.defined(), model.family == ModelFamily::Bert);
            if (logits.sequences.defined())
                QVERIFY(differenceOf(rows.sequences, logits.sequences) < 1e-13);
        }
    }

    void changesNoLossAndNoGradient_data() { addModels(); }
    void changesNoLossAndNoGradient()
    {
        QFETCH(ModelSpec, model);
        LanguageModel rows = filledModel(model);
        LanguageModel engine = filledModel(model);
        const auto train = [](LanguageModel& trained, const TokenBatch& batch) {
            trained.parameters().beginGradients();
            const LossSums losses = trained.forward(batch, kKey);
            losses.normalised(8, 3).backward();
            return losses;
        };
        const LossSums expected = train(rows, tinyBatch(model));
        const LossSums losses = train(engine, packedTinyBatch(model, 4));
        QCOMPARE(losses.targetCount, expected.targetCount);
        QCOMPARE(losses.sequenceCount, expected.sequenceCount);
        QVERIFY(std::abs(losses.tokenSum() / expected.tokenSum() - 1) < 1e-13);
        for (const Parameter& parameter : rows.parameters().parameters()) {
            const at::Tensor gradient = engine.parameters().parameter(parameter.spec.name).gradient;
            QVERIFY2(differenceOf(parameter.gradient, gradient) < 1e-12, parameter.spec.name.c_str());
        }
    }

    void noSequenceSeesAnother_data() { addModels(); }
    void noSequenceSeesAnother()
    {
        QFETCH(ModelSpec, model);
        const LanguageModel engine = filledModel(model);
        TokenBatch batch = packedTinyBatch(model, 4);
        const at::Tensor before = engine.logits(batch, kKey).tokens;
        batch.inputIds = batch.inputIds.clone();
        for (const std::int64_t place : {7, 15}) // the second sequence's first token, and filler
            batch.inputIds.narrow(0, place, 1).add_(1).remainder_(model.vocabulary);
        const at::Tensor after = engine.logits(batch, kKey).tokens;
        const at::Tensor changed = (before - after).abs().amax(1).gt(0);
        QCOMPARE(valuesOf(changed.to(at::kLong)), (std::vector<std::int64_t>{0, 0, 0, 1, 1, 1, 0, 0}));
    }
};

QTEST_APPLESS_MAIN(TestPacking)
#include "tst_packing.moc"
