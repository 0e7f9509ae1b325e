#include <QTemporaryDir>
#include <QTest>

#include <filesystem>

#include <ATen/ops/ones.h>

#include "engine/base/file.h"
#include "engine/checkpoint/hugging_face/conversion_commands.h"
#include "engine/checkpoint/hugging_face/hugging_face_export.h"
#include "engine/checkpoint/hugging_face/hugging_face_model.h"
#include "engine/checkpoint/tensor_views.h"
#include "engine/checkpoint/weights/find_weights.h"
#include "engine/checkpoint/weights/weight_source.h"
#include "engine/nn/language_model.h"

using namespace trainyard;

namespace {

std::filesystem::path goldenModels()
{
    return std::filesystem::path(TRAINYARD_SOURCE_DIR) / "tests/golden/hugging_face";
}

/// A box of a stored tensor, in its stored type.
at::Tensor boxOf(WeightSource& source, const StoredTensor& tensor, const TensorBox& box)
{
    at::Tensor values = at::empty(box.shape, scalarTypeOf(tensor.type));
    const Status read =
        source.read(tensor, box, {static_cast<std::byte*>(values.mutable_data_ptr()), values.nbytes()});
    return read.ok() ? values : at::Tensor();
}

at::Tensor wholeOf(WeightSource& source, const StoredTensor& tensor)
{
    return boxOf(source, tensor, {std::vector<std::int64_t>(tensor.shape.size(), 0), tensor.shape});
}

} // namespace

/// What can be begun with, against the loader of whole models.
class TestWeightSources : public QObject {
    Q_OBJECT

private slots:
    void init() { m_folder = std::make_unique<QTemporaryDir>(); }

    void givesWhatImportLoads_data()
    {
        QTest::addColumn<QString>("model");
        for (const auto& entry : std::filesystem::directory_iterator(goldenModels())) {
            if (entry.is_directory())
                QTest::addRow("%s", entry.path().filename().c_str())
                    << QString::fromStdString(entry.path().filename().string());
        }
    }
    void givesWhatImportLoads()
    {
        QFETCH(QString, model);
        const auto folder = goldenModels() / model.toStdString();
        const auto imported = HuggingFaceModel::open(folder).value();
        LanguageModel whole(imported.spec(), ComputeType::Float32);
        QVERIFY(imported.load(whole.parameters()).ok());
        const auto source = openWeights(folder).value();
        QVERIFY(source->checkContent().ok());
        QVERIFY(source->description().model == imported.spec());
        QVERIFY(!source->description().optimizer);
        for (const Parameter& parameter : whole.parameters().parameters()) {
            const StoredTensor* stored = source->description().find("model/" + parameter.spec.name);
            QVERIFY2(stored, parameter.spec.name.c_str());
            QVERIFY2(stored->shape == parameter.spec.shape, parameter.spec.name.c_str());
            QVERIFY2(wholeOf(*source, *stored).to(at::kFloat).equal(parameter.master),
                     parameter.spec.name.c_str());
        }
    }

    void cutsBoxesOutOfTransposedTensors()
    {
        const auto source = openWeights(goldenModels() / "gpt2").value();
        const StoredTensor* product = source->description().find("model/transformer.h.0.mlp.c_fc.weight");
        QVERIFY(product);
        const at::Tensor whole = wholeOf(*source, *product);
        const TensorBox box{{3, 2}, {4, 5}};
        QVERIFY(boxOf(*source, *product, box).equal(whole.narrow(0, 3, 4).narrow(1, 2, 5)));
    }

    // The same model in both formats: what one of them loses would differ.
    void checkpointAndFolderHoldTheSame()
    {
        const auto folder = goldenModels() / "bert";
        QVERIFY(runImport({folder, path() / "checkpoints"}).ok());
        const auto found = findWeights(path() / "checkpoints");
        QVERIFY2(found.ok(), found.ok() ? "" : found.error().text().c_str());
        const auto checkpoint = openWeights(found->folder).value();
        const auto model = openWeights(folder).value();
        QCOMPARE(checkpoint->description().tensors.size(), model->description().tensors.size());
        for (const StoredTensor& tensor : model->description().tensors) {
            const StoredTensor* same = checkpoint->description().find(tensor.name);
            QVERIFY2(same, tensor.name.c_str());
            QVERIFY2(wholeOf(*checkpoint, *same).equal(wholeOf(*model, tensor).to(at::kFloat)),
                     tensor.name.c_str());
        }
        QVERIFY(!checkpoint->description().optimizer);
    }

    // Older versions saved the pooler with BertForMaskedLM: a run with a next-sentence head can use it.
    void keepsTheWeightsOfOtherHeads()
    {
        const auto golden = HuggingFaceModel::open(goldenModels() / "bert").value();
        ModelSpec spec = golden.spec();
        spec.nextSentence = false;
        LanguageModel model(spec, ComputeType::Float32);
        model.parameters().initialize(1, 0.02);
        QVERIFY(writeHuggingFaceFolder(path() / "hf", spec, model.parameters()).ok());
        const at::Tensor pooler = at::ones({spec.hidden, spec.hidden});
        std::vector<TensorBytes> tensors{bytesOf("bert.pooler.dense.weight", pooler)};
        for (const Parameter& parameter : model.parameters().parameters())
            tensors.push_back(bytesOf(parameter.spec.name, parameter.master));
        QVERIFY(writeSafetensors(path() / "hf" / "model.safetensors", tensors).ok());
        const auto source = openWeights(path() / "hf").value();
        QVERIFY(!source->description().model.nextSentence);
        const StoredTensor* stored = source->description().find("model/bert.pooler.dense.weight");
        QVERIFY(stored);
        QVERIFY(wholeOf(*source, *stored).equal(pooler));
        QVERIFY(HuggingFaceModel::open(path() / "hf").value().load(model.parameters()).ok());
    }

    void listsTheFilesThatItNeeds_data()
    {
        QTest::addColumn<QString>("model");
        for (const char* model : {"bert", "bert-sharded"})
            QTest::addRow("%s", model) << model;
        QTest::addRow("checkpoint") << QString();
    }
    void listsTheFilesThatItNeeds()
    {
        QFETCH(QString, model);
        std::filesystem::path folder = goldenModels() / model.toStdString();
        if (model.isEmpty()) {
            QVERIFY(runImport({goldenModels() / "bert", path() / "checkpoints"}).ok());
            folder = findWeights(path() / "checkpoints").value().folder;
        }
        const auto source = openWeights(folder).value();
        std::filesystem::create_directory(path() / "copy");
        for (const auto& file : source->files())
            std::filesystem::copy_file(file, path() / "copy" / file.filename());
        const auto copy = openWeights(path() / "copy");
        QVERIFY2(copy.ok(), copy.ok() ? "" : copy.error().text().c_str());
        QCOMPARE((*copy)->fingerprint(), source->fingerprint());
        for (const StoredTensor& tensor : source->description().tensors)
            QVERIFY(wholeOf(**copy, tensor).equal(wholeOf(*source, tensor)));
    }

    void fingerprintsContentNotPlace()
    {
        const auto original = goldenModels() / "bert";
        std::filesystem::copy(original, path() / "copy");
        const std::string fingerprint = openWeights(original).value()->fingerprint();
        QCOMPARE(openWeights(path() / "copy").value()->fingerprint(), fingerprint);
        const auto file = path() / "copy" / "model.safetensors";
        std::string bytes = readFile(file).value();
        bytes.back() = static_cast<char>(bytes.back() ^ 1);
        QVERIFY(writeFileAtomically(file, bytes).ok());
        QVERIFY(openWeights(path() / "copy").value()->fingerprint() != fingerprint);
    }

    void namesTiedTensorsThatDiffer()
    {
        LanguageModel model(HuggingFaceModel::open(goldenModels() / "bert").value().spec(),
                            ComputeType::Float32);
        model.parameters().initialize(1, 0.02);
        const at::Tensor words =
            model.parameters().parameter("bert.embeddings.word_embeddings.weight").master;
        std::vector<TensorBytes> tensors;
        for (const Parameter& parameter : model.parameters().parameters())
            tensors.push_back(bytesOf(parameter.spec.name, parameter.master));
        const at::Tensor decoder = words + 1;
        tensors.push_back(bytesOf("cls.predictions.decoder.weight", decoder));
        std::filesystem::create_directory(path() / "tied");
        std::filesystem::copy_file(goldenModels() / "bert" / "config.json", path() / "tied" / "config.json");
        QVERIFY(writeSafetensors(path() / "tied" / "model.safetensors", tensors).ok());
        const Status checked = openWeights(path() / "tied").value()->checkContent();
        QVERIFY(!checked.ok());
        QVERIFY2(checked.error().message.find("tensor cls.predictions.decoder.weight differs from "
                                              "bert.embeddings.word_embeddings.weight") != std::string::npos,
                 checked.error().message.c_str());
    }

private:
    std::filesystem::path path() const { return m_folder->path().toStdString(); }

    std::unique_ptr<QTemporaryDir> m_folder;
};

QTEST_APPLESS_MAIN(TestWeightSources)
#include "tst_weight_sources.moc"
