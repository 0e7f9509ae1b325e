#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <numbers>

#include <ATen/Parallel.h>
#include <ATen/ops/cross_entropy_loss.h>
#include <ATen/ops/full.h>

#include "datasets/shards/manifest.h"
#include "datasets/shards/shard_writer.h"
#include "engine/base/file.h"
#include "engine/base/hash.h"
#include "engine/checkpoint/format/safetensors.h"
#include "engine/checkpoint/hugging_face/conversion_commands.h"
#include "engine/checkpoint/tensor_views.h"
#include "engine/evaluation/data_set_evaluation.h"
#include "engine/memory/accounting_allocator.h"
#include "engine/spec/spec_json.h"
#include "tests/auto/evaluation/hugging_face_reference.h"
#include "tests/auto/training/train_as_threads.h"
#include "tests/auto/training/training_fixture.h"
#include "tests/support/reference_data.h"

#include <QTemporaryDir>
#include <QTest> // after LibTorch, which uses the name "slots"

using namespace trainyard;
namespace fs = std::filesystem;

namespace {

constexpr std::int64_t kNoLabel = -100; // Hugging Face's mark
constexpr std::uint64_t kTestRows = 19; // two batches of 8 and a part of a third

/// Models and inputs of Hugging Face's with what its own code computes: see tst_hugging_face_parity.
fs::path referenceModel(const QString& model)
{
    return referenceData("hf/" + model.toStdString());
}

fs::path golden(const char* model)
{
    return fs::path(TRAINYARD_SOURCE_DIR) / "tests/golden/hugging_face" / model;
}

std::vector<std::int64_t> valuesOf(const SafetensorsFile& file, const char* name)
{
    const at::Tensor values = tensorFrom(*file.find(name)).contiguous();
    const auto* begin = values.data_ptr<std::int64_t>();
    return {begin, begin + values.numel()};
}

/// The inputs as `prepare` would have written them.
RowBlock rowsFrom(const SafetensorsFile& inputs, bool masked)
{
    const auto shape = inputs.find("input_ids")->shape;
    const auto length = static_cast<std::size_t>(shape[1]);
    const auto labels = valuesOf(inputs, "labels");
    const auto targets = [&](std::size_t row) {
        return std::count_if(labels.begin() + std::ptrdiff_t(row * length),
                             labels.begin() + std::ptrdiff_t((row + 1) * length),
                             [](std::int64_t label) { return label != kNoLabel; });
    };
    std::ptrdiff_t widest = 0;
    for (std::size_t row = 0; masked && row < std::size_t(shape[0]); ++row)
        widest = std::max(widest, targets(row));
    RowBlock rows{static_cast<int>(length), static_cast<int>(widest)};
    rows.resize(std::size_t(shape[0]));
    std::ranges::copy(valuesOf(inputs, "input_ids"), rows.inputIds.begin());
    std::ranges::fill(rows.inputMask, std::int8_t(1));
    for (const auto& [name, column] :
         {std::pair{"attention_mask", &rows.inputMask}, std::pair{"token_type_ids", &rows.segmentIds},
          std::pair{"next_sentence_label", &rows.nextSentenceLabels}}) {
        if (inputs.find(name))
            std::ranges::copy(valuesOf(inputs, name), column->begin());
    }
    for (std::size_t row = 0; masked && row < rows.rows; ++row) {
        std::size_t next = row * std::size_t(widest);
        for (std::size_t at = 0; at < length; ++at) {
            if (labels[row * length + at] == kNoLabel)
                continue;
            rows.maskedPositions[next] = std::int32_t(at);
            rows.maskedIds[next++] = std::int32_t(labels[row * length + at]);
        }
    }
    return rows;
}

/// A data set whose test rows these are.
Status writeTestRows(const fs::path& folder, const RowBlock& rows, int vocabulary)
{
    TRAINYARD_TRY_STATUS(makeFolder(folder));
    const fs::path file = folder / "reference_test_0.hdf5";
    TRAINYARD_TRY(ShardWriter writer,
                  ShardWriter::create(file, {rows.rows, rows.sequenceLength, rows.maxPredictions}));
    TRAINYARD_TRY_STATUS(writer.append(rows));
    TRAINYARD_TRY_STATUS(writer.close());
    TRAINYARD_TRY(std::string hash, sha256OfFile(file));
    Manifest manifest;
    manifest.sequenceLength = rows.sequenceLength;
    manifest.maxPredictions = rows.maxPredictions;
    manifest.vocabularySize = vocabulary;
    manifest.vocabularyFile = "vocab.txt";
    manifest.settings.objective = rows.maxPredictions == 0 ? "gpt" : "bert";
    manifest.shards = {{file.filename().string(), rows.rows, std::move(hash), false}};
    return writeFileAtomically(folder / Manifest::kFileName, manifest.toJson());
}

double crossEntropy(const at::Tensor& logits, const at::Tensor& labels)
{
    return at::cross_entropy_loss(logits, labels).item<double>();
}

double accuracy(const at::Tensor& logits, const at::Tensor& labels)
{
    return (logits.argmax(-1) == labels).to(at::kDouble).mean().item<double>();
}

/// What Hugging Face's logits say of the inputs.
EvaluationRecord expectedRecord(const QString& model)
{
    const auto inputs = SafetensorsFile::open(referenceModel(model) / "inputs.safetensors").value();
    const auto outputs = SafetensorsFile::open(referenceModel(model) / "expected_fp64.safetensors").value();
    const auto tensor = [](const SafetensorsFile& file, const char* name) {
        return tensorFrom(*file.find(name)).clone();
    };
    const at::Tensor labels = tensor(inputs, "labels");
    EvaluationRecord record{.rows = labels.size(0)};
    const auto setTokens = [&](const at::Tensor& logits, const at::Tensor& targets) {
        record.tokenLoss = crossEntropy(logits, targets);
        record.tokenAccuracy = accuracy(logits, targets);
        record.tokens = targets.size(0);
    };
    if (model.startsWith("gpt")) {
        const std::int64_t next = labels.size(1) - 1;
        setTokens(tensor(outputs, "logits").narrow(1, 0, next).flatten(0, 1),
                  labels.narrow(1, 1, next).flatten());
    } else {
        setTokens(tensor(outputs, "mlm_logits_at_masked"), labels.masked_select(labels != kNoLabel));
        const at::Tensor next = tensor(inputs, "next_sentence_label");
        record.sequenceLoss = crossEntropy(tensor(outputs, "nsp_logits"), next);
        record.sequenceAccuracy = accuracy(tensor(outputs, "nsp_logits"), next);
    }
    record.loss = record.tokenLoss + record.sequenceLoss;
    return record;
}

} // namespace

class TestDataSetEvaluation : public QObject {
    Q_OBJECT

private slots:
    void initTestCase()
    {
        AccountingAllocator::install();
        at::set_num_threads(1);
        QVERIFY(writeDataset(path("tiny"), {.testRows = kTestRows}).ok());
        QVERIFY(writeDataset(path("text"), {.predictions = 0, .testRows = kTestRows}).ok());
        RunSpec spec = tinySpec(path("tiny"), 2, ComputeType::Float64);
        spec.evaluation = {.everySteps = 3, .batches = 100};
        spec.layout.data = 1;
        spec.layout.tensor = 2;
        spec.batch = {8, 2, 4};
        QVERIFY(trainAsThreads(path("run"), spec, {1, 6}).ok());
    }
    void init() { m_copy = std::make_unique<QTemporaryDir>(); }

    void givesHuggingFacesFigures_data()
    {
        QTest::addColumn<QString>("model");
        QTest::addColumn<int>("precision");
        QTest::addColumn<double>("bound");
        for (const char* model : {"bert-tiny", "gpt2-tiny"}) {
            QTest::addRow("%s float64", model) << model << int(ComputeType::Float64) << 1e-9;
            QTest::addRow("%s float32", model) << model << int(ComputeType::Float32) << 1e-5;
        }
    }
    /// Of the model as it came, of a checkpoint made from it, and of the model exported from that.
    void givesHuggingFacesFigures()
    {
        QFETCH(QString, model);
        QFETCH(int, precision);
        QFETCH(double, bound);
        NEEDS_REFERENCE(referenceModel(model));
        const auto inputs = SafetensorsFile::open(referenceModel(model) / "inputs.safetensors").value();
        QVERIFY(writeTestRows(copy("data"), rowsFrom(inputs, model.startsWith("bert")), 97).ok());
        QVERIFY(runImport({referenceModel(model), copy("checkpoint")}).ok());
        QVERIFY(runExport({copy("checkpoint"), copy("exported")}).ok());
        const EvaluationRecord expected = expectedRecord(model);
        for (const fs::path& folder : {referenceModel(model), copy("checkpoint"), copy("exported")}) {
            const auto record = evaluate(folder, {copy("data"), 0, ComputeType(precision)});
            QVERIFY2(record.ok(), record.ok() ? "" : record.error().text().c_str());
            const double difference = largestDifference({expected}, {*record});
            qInfo("%s: largest relative difference %.1e", folder.c_str(), difference);
            QVERIFY(difference < bound);
        }
    }

    /// The small models that come with the tests, by the losses alone: those whose inputs mask no first
    /// token, which is [CLS] in a data set.
    void givesHuggingFacesLosses_data()
    {
        QTest::addColumn<QString>("model");
        for (const char* model : {"bert", "bert-masked-lm", "bert-three-types", "bert-untied"})
            QTest::addRow("%s", model) << model;
    }
    void givesHuggingFacesLosses()
    {
        QFETCH(QString, model);
        const fs::path folder = golden(qPrintable(model));
        const auto inputs = SafetensorsFile::open(folder / "inputs.safetensors").value();
        const auto expected = SafetensorsFile::open(folder / "expected.safetensors").value();
        QVERIFY(writeTestRows(copy("data"), rowsFrom(inputs, true), 19).ok());
        const auto record = evaluate(folder, {copy("data"), 0, ComputeType::Float64});
        QVERIFY2(record.ok(), record.ok() ? "" : record.error().text().c_str());
        const double loss = tensorFrom(*expected.find("loss")).item<double>();
        QVERIFY2(std::abs(record->loss - loss) < 1e-12 * loss,
                 qPrintable(QString("%1 %2").arg(record->loss).arg(loss)));
    }

    void givesWhatTheRunRecorded_data()
    {
        QTest::addColumn<int>("step");
        QTest::addColumn<QByteArray>("layout");
        QTest::addRow("the newest, one rank") << 0 << QByteArray();
        QTest::addRow("a step") << 6 << QByteArray();
        QTest::addRow("data 2, ZeRO 3")
            << 0
            << QByteArray(
                   R"("layout": {"data": 2}, "memory": {"zero_stage": 3}, "batch": {"global": 8, "micro": 2, "accumulation": 2})");
        QTest::addRow("data 3, a batch that it cannot share") << 0 << QByteArray(R"("layout": {"data": 3})");
        QTest::addRow("pipeline 2, tensor 2")
            << 0
            << QByteArray(
                   R"("layout": {"pipeline": 2, "tensor": 2}, "batch": {"global": 8, "micro": 2, "accumulation": 4})");
    }
    void givesWhatTheRunRecorded()
    {
        QFETCH(int, step);
        QFETCH(QByteArray, layout);
        DataSetEvaluationOptions options{path("tiny"), 0, ComputeType::Float64};
        if (!layout.isEmpty())
            options.layout = layoutOf(layout);
        CheckpointWish wish;
        if (step > 0)
            wish.step = Step{step};
        const auto record = evaluate(path("run"), options, wish);
        QVERIFY2(record.ok(), record.ok() ? "" : record.error().text().c_str());
        EvaluationRecord recorded = evaluationsOf(path("run")).back();
        QCOMPARE(recorded.step, std::int64_t(6));
        recorded.step = 0;
        recorded.best = false;
        const double difference = largestDifference({recorded}, {*record});
        qInfo("largest relative difference %.1e", difference);
        QVERIFY(difference < 1e-9);
    }

    void takesTheFirstBatches()
    {
        const auto all = evaluate(path("run"), {path("tiny"), 0, ComputeType::Float64}).value();
        const auto some = evaluate(path("run"), {path("tiny"), 2, ComputeType::Float64}).value();
        QCOMPARE(all.rows, std::int64_t(kTestRows));
        QCOMPARE(some.rows, std::int64_t(16)); // the run's global batch is 8
        QVERIFY(some.tokens < all.tokens);
    }

    void tellsBitsPerByteWhereTheDataSetTellsItsBytes()
    {
        const auto unknown = evaluate(golden("gpt2"), {textFor(golden("gpt2")), 0, ComputeType::Float64});
        QVERIFY2(unknown.ok(), unknown.ok() ? "" : unknown.error().text().c_str());
        QVERIFY(!unknown->bitsPerByte);
        Manifest manifest = Manifest::load(copy("text")).value();
        manifest.shards.front().tokens = 200;
        manifest.shards.front().textBytes = 900;
        QVERIFY(writeFileAtomically(copy("text") / Manifest::kFileName, manifest.toJson()).ok());
        const auto record = evaluate(golden("gpt2"), {copy("text"), 0, ComputeType::Float64}).value();
        QVERIFY(std::abs(*record.bitsPerByte - record.loss / std::numbers::ln2 / 4.5) < 1e-12);
        const std::string json = evaluationJson(record, ModelFamily::Gpt);
        for (const char* key : {"\"perplexity\":", "\"accuracy\":", "\"bits_per_byte\":"})
            QVERIFY2(json.find(key) != std::string::npos, json.c_str());
    }

    void tellsHowManyRowsAreDone()
    {
        std::vector<std::pair<std::uint64_t, std::uint64_t>> told;
        DataSetEvaluationOptions options{path("tiny")};
        options.onProgress = [&](std::uint64_t rows, std::uint64_t all) { told.emplace_back(rows, all); };
        QVERIFY(evaluate(path("run"), options).ok());
        QVERIFY((told == decltype(told){{8, kTestRows}, {16, kTestRows}, {kTestRows, kTestRows}}));
    }

    void printsJson()
    {
        const EvaluationRecord record{.loss = 3.5,
                                      .tokenLoss = 3,
                                      .sequenceLoss = 0.5,
                                      .tokenAccuracy = 0.25,
                                      .sequenceAccuracy = 0.75,
                                      .tokens = 70,
                                      .rows = 8};
        QCOMPARE(
            evaluationJson(record, ModelFamily::Bert),
            std::string(R"({"loss":3.5,"tokens":70,"rows":8,"metrics":{"mlm_loss":3.0,"mlm_accuracy":0.25,)"
                        R"("nsp_loss":0.5,"nsp_accuracy":0.75}})"
                        "\n"));
    }

    void refusesADataSetThatDoesNotFit_data()
    {
        QTest::addColumn<DatasetShape>("shape");
        QTest::addColumn<QString>("objective"); ///< empty: that of the shape
        QTest::addColumn<QString>("said");
        QTest::addColumn<QString>("hint");
        QTest::addRow("vocabulary") << DatasetShape{.vocabulary = 256, .testRows = 3} << ""
                                    << "has 256 entries"
                                    << "--vocab";
        QTest::addRow("positions") << DatasetShape{.length = 64, .testRows = 3} << ""
                                   << "have 64 tokens"
                                   << "--seq-len 32 or less";
        QTest::addRow("running text") << DatasetShape{.predictions = 0, .testRows = 3} << ""
                                      << "are running text without masks"
                                      << "--objective bert or mlm";
        QTest::addRow("single sentences") << DatasetShape{.testRows = 3} << "mlm"
                                          << "have no second sentence"
                                          << "--objective bert";
        QTest::addRow("labelled examples") << DatasetShape{.predictions = 0, .testRows = 3} << "classify"
                                           << "are for classify"
                                           << "a data set for pre-training";
        QTest::addRow("no test rows") << DatasetShape{} << ""
                                      << "has no test rows"
                                      << "--test-fraction";
    }
    void refusesADataSetThatDoesNotFit()
    {
        QFETCH(DatasetShape, shape);
        QFETCH(QString, objective);
        QFETCH(QString, said);
        QFETCH(QString, hint);
        QVERIFY(writeDataset(copy("data"), shape).ok());
        if (!objective.isEmpty()) {
            Manifest manifest = Manifest::load(copy("data")).value();
            manifest.settings.objective = objective.toStdString();
            QVERIFY(writeFileAtomically(copy("data") / Manifest::kFileName, manifest.toJson()).ok());
        }
        verifyRefused(evaluate(path("run"), {copy("data")}), said, hint);
    }

    void namesTheTestShardThatIsWrong_data()
    {
        QTest::addColumn<QString>("damage");
        QTest::addRow("missing") << "remove";
        QTest::addRow("empty") << "empty";
        QTest::addRow("of another data set") << "replace";
    }
    void namesTheTestShardThatIsWrong()
    {
        QFETCH(QString, damage);
        QVERIFY(writeDataset(copy("data"), {.testRows = kTestRows}).ok());
        const fs::path shard = copy("data") / "tiny_test_1.hdf5";
        fs::remove(shard);
        if (damage == "empty")
            QVERIFY(writeFileAtomically(shard, "").ok());
        else if (damage == "replace")
            fs::copy_file(copy("data") / "tiny_test_0.hdf5", shard);
        verifyRefused(evaluate(path("run"), {copy("data")}), "tiny_test_1.hdf5", "");
    }

    void refusesWeightsThatAreNotTheModel_data()
    {
        QTest::addColumn<QString>("tensor");
        QTest::addColumn<bool>("missing"); ///< else it holds a value that is not finite
        QTest::addColumn<QString>("said");
        QTest::addRow("no head") << "cls.predictions.transform.dense.weight" << true
                                 << "has no tensor cls.predictions.transform.dense.weight";
        QTest::addRow("no layer") << "bert.encoder.layer.1.output.dense.weight" << true
                                  << "bert.encoder.layer.1.output.dense.weight";
        QTest::addRow("not finite") << "bert.encoder.layer.1.output.dense.weight" << false
                                    << "not finite in bert.encoder.layer.1.output.dense.weight";
    }
    void refusesWeightsThatAreNotTheModel()
    {
        QFETCH(QString, tensor);
        QFETCH(bool, missing);
        QFETCH(QString, said);
        const auto inputs = SafetensorsFile::open(golden("bert") / "inputs.safetensors").value();
        QVERIFY(writeTestRows(copy("data"), rowsFrom(inputs, true), 19).ok());
        fs::create_directories(copy("model"));
        fs::copy_file(golden("bert") / "config.json", copy("model") / "config.json");
        const auto weights = SafetensorsFile::open(golden("bert") / "model.safetensors").value();
        std::vector<TensorBytes> changed;
        at::Tensor infinite;
        for (const TensorBytes& each : weights.tensors()) {
            if (each.name != tensor.toStdString()) {
                changed.push_back(each);
            } else if (!missing) {
                infinite = at::full(each.shape, std::numeric_limits<double>::infinity(), at::kFloat);
                changed.push_back(bytesOf(each.name, infinite));
            }
        }
        QVERIFY(writeSafetensors(copy("model") / "model.safetensors", changed).ok());
        verifyRefused(evaluate(copy("model"), {copy("data")}), said, "");
    }

    void namesTheFieldOfALayoutThatDoesNotWork()
    {
        DataSetEvaluationOptions options{path("tiny")};
        options.layout = layoutOf(R"("layout": {"tensor": 3})");
        const auto record = evaluate(path("run"), options);
        QVERIFY(!record.ok());
        QVERIFY2(record.error().message.starts_with("layout.tensor"), record.error().message.c_str());
    }

private:
    fs::path path(const char* name) const { return m_folder.filePath(name).toStdString(); }
    fs::path copy(const char* name) const { return m_copy->filePath(name).toStdString(); }

    static Result<EvaluationRecord> evaluate(const fs::path& model, const DataSetEvaluationOptions& options,
                                             const CheckpointWish& wish = {})
    {
        TRAINYARD_TRY(const StoredModel stored, StoredModel::open(model, wish));
        return evaluateOnDataSet(stored, options);
    }

    static RunSpec layoutOf(const QByteArray& sections)
    {
        const ParsedSpec parsed =
            parseSpec("{\"trainyard\": 1, \"name\": \"layout\", " + sections.toStdString() + "}");
        if (!parsed.diagnostics.empty())
            qFatal("%s", parsed.diagnostics.front().text().c_str());
        return parsed.spec;
    }

    /// The first two rows of a decoder's inputs, which have a label everywhere.
    fs::path textFor(const fs::path& model) const
    {
        const auto inputs = SafetensorsFile::open(model / "inputs.safetensors").value();
        RowBlock rows = rowsFrom(inputs, false);
        rows.resize(2);
        if (const Status written = writeTestRows(copy("text"), rows, 19); !written.ok())
            qFatal("%s", written.error().text().c_str());
        return copy("text");
    }

    static void verifyRefused(const Result<EvaluationRecord>& record, const QString& said,
                              const QString& hint)
    {
        QVERIFY(!record.ok());
        QCOMPARE(record.error().kind, ErrorKind::BadInput);
        const QString message = QString::fromStdString(record.error().message);
        QVERIFY2(message.contains(said), qPrintable(message));
        QVERIFY2(QString::fromStdString(record.error().hint).contains(hint), record.error().hint.c_str());
        QVERIFY(!record.error().hint.empty());
    }

    QTemporaryDir m_folder;
    std::unique_ptr<QTemporaryDir> m_copy;
};

QTEST_APPLESS_MAIN(TestDataSetEvaluation)
#include "tst_data_set_evaluation.moc"
