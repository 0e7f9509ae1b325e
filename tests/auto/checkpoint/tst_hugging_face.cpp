#include <QTemporaryDir>
#include <QTest>

#include <filesystem>
#include <functional>

#include <ATen/ops/zeros.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "engine/base/file.h"
#include "engine/checkpoint/hugging_face/conversion_commands.h"
#include "engine/checkpoint/hugging_face/hugging_face_export.h"
#include "engine/checkpoint/hugging_face/hugging_face_model.h"
#include "engine/checkpoint/tensor_views.h"
#include "engine/nn/language_model.h"
#include "engine/spec/names.h"
#include "tests/support/reference_data.h"

using namespace trainyard;
namespace fs = std::filesystem;

using Change = std::function<void(std::vector<trainyard::TensorBytes>&)>;

Q_DECLARE_METATYPE(trainyard::ModelSpec)
Q_DECLARE_METATYPE(Change)

namespace {

ModelSpec smallModel(ModelFamily family)
{
    ModelSpec model;
    model.setFamily(family);
    model.layers = 2;
    model.hidden = 16;
    model.heads = 2;
    model.intermediate = 24;
    model.vocabulary = 50;
    model.maxPositions = 8;
    return model;
}

ModelSpec with(ModelSpec model, const std::function<void(ModelSpec&)>& change)
{
    change(model);
    return model;
}

std::vector<std::pair<const char*, ModelSpec>> models()
{
    const ModelSpec bert = smallModel(ModelFamily::Bert);
    const ModelSpec gpt = smallModel(ModelFamily::Gpt);
    const auto untied = [](ModelSpec& model) { model.tiedHead = false; };
    const auto relu = [](ModelSpec& model) { model.activation = Activation::Relu; };
    const auto forTask = [&](const TaskSpec& task) {
        return with(bert, [&](ModelSpec& model) {
            model.nextSentence = false;
            model.task = task;
        });
    };
    return {{"BertForSequenceClassification", forTask({.kind = TaskKind::Classify, .labels = 3})},
            {"regression", forTask({.kind = TaskKind::Regress, .dropout = 0.3})},
            {"BertForTokenClassification", forTask({.kind = TaskKind::Tag, .labels = 5, .dropout = 0})},
            {"BertForQuestionAnswering", forTask({.kind = TaskKind::Answer})},
            {"BertForPreTraining", bert},
            {"BertForMaskedLM", with(bert, [](ModelSpec& model) { model.nextSentence = false; })},
            {"untied BertForPreTraining", with(bert, untied)},
            {"relu BertForPreTraining", with(bert, relu)},
            {"GPT2LMHeadModel", gpt},
            {"untied GPT2LMHeadModel", with(gpt, untied)},
            {"relu GPT2LMHeadModel", with(gpt, relu)}};
}

LanguageModel initialised(const ModelSpec& spec)
{
    LanguageModel model(spec, ComputeType::Float32);
    model.parameters().initialize(3, 0.02);
    return model;
}

fs::path reference(const std::string& model)
{
    return referenceData(model.starts_with("bert-") && model != "bert-tiny" ? "hf_families" : "hf") / model;
}

bool sameBytes(const TensorBytes& a, const TensorBytes& b)
{
    return a.name == b.name && a.type == b.type && a.shape == b.shape &&
           std::equal(a.bytes.begin(), a.bytes.end(), b.bytes.begin(), b.bytes.end());
}

std::string textOf(const Status& status)
{
    return status.ok() ? std::string() : status.error().text();
}

} // namespace

class TestHuggingFace : public QObject {
    Q_OBJECT

private slots:
    void init() { m_folder = std::make_unique<QTemporaryDir>(); }

    void comesBackAsItWas_data()
    {
        QTest::addColumn<ModelSpec>("model");
        QTest::addColumn<quint64>("maxShard");
        for (const auto& [name, model] : models()) {
            QTest::addRow("%s in one file", name) << model << quint64(kWholeFile);
            QTest::addRow("%s in shards", name) << model << quint64(4000);
        }
    }
    void comesBackAsItWas()
    {
        QFETCH(ModelSpec, model);
        QFETCH(quint64, maxShard);
        const LanguageModel saved = initialised(model);
        QVERIFY(writeHuggingFaceFolder(path() / "hf", model, saved.parameters(), maxShard).ok());
        const auto opened = HuggingFaceModel::open(path() / "hf").value();
        QVERIFY(opened.spec() == model);
        LanguageModel loaded(model, ComputeType::Float32);
        QCOMPARE(textOf(opened.load(loaded.parameters())), std::string());
        QVERIFY(loaded.parameters().flatMasters().equal(saved.parameters().flatMasters()));
    }

    // What Hugging Face saved itself: the same tensors, byte for byte.
    void referenceModelSurvivesImportAndExport_data()
    {
        QTest::addColumn<QString>("model");
        for (const char* model : {"bert-tiny", "gpt2-tiny", "bert-classify-tiny", "bert-regress-tiny",
                                  "bert-tag-tiny", "bert-answer-tiny"})
            QTest::addRow("%s", model) << model;
    }
    void referenceModelSurvivesImportAndExport()
    {
        QFETCH(QString, model);
        const fs::path original = reference(model.toStdString());
        NEEDS_REFERENCE(original);
        QVERIFY(runImport({original, path() / "checkpoints"}).ok());
        QVERIFY(runExport({path() / "checkpoints", path() / "hf"}).ok());
        const auto before = SafetensorsFile::open(original / "model.safetensors").value();
        const auto after = SafetensorsFile::open(path() / "hf" / "model.safetensors").value();
        QVERIFY(std::ranges::equal(before.tensors(), after.tensors(), sameBytes));
        QVERIFY(HuggingFaceModel::open(path() / "hf").value().spec() ==
                HuggingFaceModel::open(original).value().spec());
    }

    void exportTwiceGivesTheSameFiles_data()
    {
        QTest::addColumn<int>("type");
        for (const ComputeType type :
             {ComputeType::Float64, ComputeType::Float32, ComputeType::BFloat16, ComputeType::Float16})
            QTest::addRow("%s", nameOf(type).data()) << int(type);
    }
    void exportTwiceGivesTheSameFiles() // an imported model keeps its type
    {
        QFETCH(int, type);
        const ModelSpec spec = smallModel(ModelFamily::Gpt);
        const LanguageModel model = initialised(spec);
        QVERIFY(writeHuggingFaceFolder(path() / "first", spec, model.parameters(), kWholeFile,
                                       {.type = ComputeType(type)})
                    .ok());
        QCOMPARE(HuggingFaceModel::open(path() / "first").value().storedType(), ComputeType(type));
        QVERIFY(runImport({path() / "first", path() / "checkpoints"}).ok());
        QVERIFY(runExport({path() / "checkpoints", path() / "second"}).ok());
        for (const char* file : {"config.json", "model.safetensors"})
            QVERIFY(readFile(path() / "first" / file).value() == readFile(path() / "second" / file).value());
        ExportOptions narrow{path() / "checkpoints", path() / "narrow"};
        narrow.type = ComputeType::BFloat16;
        QVERIFY(runExport(narrow).ok());
        QCOMPARE(HuggingFaceModel::open(path() / "narrow").value().storedType(), ComputeType::BFloat16);
    }

    void transposesTheProductsOfGpt2()
    {
        const ModelSpec spec = smallModel(ModelFamily::Gpt);
        const LanguageModel model = initialised(spec);
        QVERIFY(writeHuggingFaceFolder(path() / "hf", spec, model.parameters()).ok());
        const auto file = SafetensorsFile::open(path() / "hf" / "model.safetensors").value();
        for (const char* name : {"transformer.h.1.attn.c_attn.weight", "transformer.h.0.attn.c_proj.weight",
                                 "transformer.h.0.mlp.c_fc.weight", "transformer.h.1.mlp.c_proj.weight"}) {
            const at::Tensor& master = model.parameters().parameter(name).master;
            QVERIFY(tensorFrom(*file.find(name)).equal(master.t()));
        }
        const at::Tensor& words = model.parameters().parameter("transformer.wte.weight").master;
        QVERIFY(tensorFrom(*file.find("transformer.wte.weight")).equal(words));
    }

    void shardsAreListedAndNotTooBig()
    {
        const ModelSpec spec = smallModel(ModelFamily::Bert);
        const LanguageModel model = initialised(spec);
        QVERIFY(writeHuggingFaceFolder(path() / "hf", spec, model.parameters(), 4000).ok());
        const auto index =
            nlohmann::json::parse(readFile(path() / "hf" / "model.safetensors.index.json").value());
        QCOMPARE(index["metadata"]["total_size"].get<std::int64_t>(),
                 4 * model.parameters().parameterCount());
        QCOMPARE(index["weight_map"].size(), model.parameters().parameters().size());
        std::size_t shards = 0;
        for (const auto& entry : fs::directory_iterator(path() / "hf")) {
            if (entry.path().extension() != ".safetensors")
                continue;
            const auto file = SafetensorsFile::open(entry.path()).value();
            Bytes bytes = 0;
            for (const TensorBytes& tensor : file.tensors()) {
                QCOMPARE(index["weight_map"][tensor.name].get<std::string>(),
                         entry.path().filename().string());
                bytes += tensor.bytes.size();
            }
            QVERIFY(bytes <= 4000);
            ++shards;
        }
        QVERIFY(shards > 1);
        QVERIFY(fs::exists(path() / "hf" / fmt::format("model-00001-of-{:05}.safetensors", shards)));
    }

    void readsTheNamesOfOldFiles_data()
    {
        QTest::addColumn<ModelSpec>("model");
        QTest::addColumn<QString>("old");
        QTest::addColumn<QString>("modern");
        QTest::addRow("TensorFlow's gamma") << smallModel(ModelFamily::Bert) << "LayerNorm.gamma"
                                            << "LayerNorm.weight";
        QTest::addRow("TensorFlow's beta") << smallModel(ModelFamily::Bert) << "LayerNorm.beta"
                                           << "LayerNorm.bias";
        QTest::addRow("bare BertModel") << smallModel(ModelFamily::Bert) << ""
                                        << "bert.";
        QTest::addRow("bare GPT2Model") << smallModel(ModelFamily::Gpt) << ""
                                        << "transformer.";
    }
    void readsTheNamesOfOldFiles()
    {
        QFETCH(ModelSpec, model);
        QFETCH(QString, old);
        QFETCH(QString, modern);
        const LanguageModel saved = initialised(model);
        writeChanged(model, saved, [&](std::vector<TensorBytes>& tensors) {
            for (TensorBytes& tensor : tensors)
                tensor.name = QString::fromStdString(tensor.name).replace(modern, old).toStdString();
        });
        LanguageModel loaded(model, ComputeType::Float32);
        QCOMPARE(loadInto(loaded), std::string());
        QVERIFY(loaded.parameters().flatMasters().equal(saved.parameters().flatMasters()));
    }

    void takesWhatIsNotComputedWith()
    {
        const at::Tensor buffer = at::zeros({1, 1, 8, 8}, at::kByte);
        const LanguageModel gpt = initialised(smallModel(ModelFamily::Gpt));
        writeChanged(gpt.spec(), gpt, [&](std::vector<TensorBytes>& tensors) {
            tensors.push_back(bytesOf("transformer.h.0.attn.bias", buffer));
        });
        LanguageModel loaded(gpt.spec(), ComputeType::Float32);
        QCOMPARE(loadInto(loaded), std::string());
    }

    void checksTheCopyOfATiedTensor()
    {
        const LanguageModel gpt = initialised(smallModel(ModelFamily::Gpt));
        at::Tensor copy = gpt.parameters().parameter("transformer.wte.weight").master.clone();
        const auto addCopy = [&](std::vector<TensorBytes>& tensors) {
            tensors.push_back(bytesOf("lm_head.weight", copy));
        };
        writeChanged(gpt.spec(), gpt, addCopy);
        LanguageModel loaded(gpt.spec(), ComputeType::Float32);
        QCOMPARE(loadInto(loaded), std::string());
        copy[3][5] += 1;
        writeChanged(gpt.spec(), gpt, addCopy);
        const std::string error = loadInto(loaded);
        QVERIFY2(error.find("lm_head.weight differs from transformer.wte.weight") != std::string::npos &&
                     error.find("tie_word_embeddings") != std::string::npos,
                 error.c_str());
    }

    // An untied decoder of transformers 5 adds its own bias and leaves cls.predictions.bias unused.
    void untiedDecoderBringsItsOwnBias()
    {
        ModelSpec spec = smallModel(ModelFamily::Bert);
        spec.tiedHead = false;
        const LanguageModel model = initialised(spec);
        const at::Tensor bias = at::zeros({50}) + 0.25;
        writeChanged(spec, model, [&](std::vector<TensorBytes>& tensors) {
            for (TensorBytes& tensor : tensors) {
                if (tensor.name == "cls.predictions.decoder.bias")
                    tensor = bytesOf(tensor.name, bias);
            }
        });
        LanguageModel loaded(spec, ComputeType::Float32);
        QCOMPARE(loadInto(loaded), std::string());
        QVERIFY(loaded.parameters().parameter("cls.predictions.bias").master.equal(bias));
    }

    void namesTheTensorThatIsWrong_data()
    {
        QTest::addColumn<Change>("change");
        QTest::addColumn<QString>("said");
        QTest::addRow("missing") << Change([](auto& tensors) { tensors.erase(tensors.begin() + 2); })
                                 << "tensor transformer.h.0.attn.c_proj.bias is missing";
        QTest::addRow("unknown") << Change([](auto& tensors) {
            tensors.push_back(tensors[0]);
            tensors.back().name = "transformer.h.0.attn.c_extra.bias";
        }) << "tensor transformer.h.0.attn.c_extra.bias is not part of GPT2LMHeadModel";
        QTest::addRow("of a layer too many") << Change([](auto& tensors) {
            tensors.push_back(tensors[0]);
            tensors.back().name = "transformer.h.2.attn.c_attn.bias";
        }) << "tensor transformer.h.2.attn.c_attn.bias is not part of GPT2LMHeadModel";
        QTest::addRow("of another shape") << Change([](auto& tensors) {
            tensors[1].shape = {48, 16};
        })
                                          << "tensor transformer.h.0.attn.c_attn.weight has the shape [48, "
                                             "16], but config.json implies [16, 48]";
        QTest::addRow("of integers") << Change([](auto& tensors) {
            tensors[0].type = ElementType::I32;
        }) << "tensor transformer.h.0.attn.c_attn.bias does not hold floating-point numbers";
    }
    void namesTheTensorThatIsWrong()
    {
        QFETCH(Change, change);
        QFETCH(QString, said);
        const LanguageModel model = initialised(smallModel(ModelFamily::Gpt));
        writeChanged(model.spec(), model, change);
        LanguageModel loaded(model.spec(), ComputeType::Float32);
        const std::string error = loadInto(loaded);
        QVERIFY2(error.find(said.toStdString()) != std::string::npos, error.c_str());
    }

    void namesTheShardThatLacksATensor()
    {
        const ModelSpec spec = smallModel(ModelFamily::Gpt);
        QVERIFY(writeHuggingFaceFolder(path() / "hf", spec, initialised(spec).parameters(), 4000).ok());
        const fs::path index = path() / "hf" / "model.safetensors.index.json";
        auto json = nlohmann::ordered_json::parse(readFile(index).value());
        json["weight_map"]["lm_head.weight"] = json["weight_map"]["transformer.wte.weight"];
        QVERIFY(writeFileAtomically(index, json.dump()).ok());
        const auto opened = HuggingFaceModel::open(path() / "hf");
        QVERIFY(!opened.ok());
        QVERIFY(opened.error().message.find("tensor lm_head.weight is not in model-00001-of-") !=
                std::string::npos);
    }

    void refusesWhatItWouldComputeDifferently_data()
    {
        QTest::addColumn<QString>("key");
        QTest::addColumn<QString>("value");
        QTest::addColumn<QString>("said");
        QTest::addRow("model") << "model_type"
                               << R"("t5")"
                               << R"("bert", "gpt2", "llama", )";
        QTest::addRow("activation") << "activation_function"
                                    << R"("geglu")"
                                    << R"(the activation is "geglu")";
        QTest::addRow("scale") << "scale_attn_weights"
                               << "false"
                               << "scale_attn_weights is false";
        QTest::addRow("dropout") << "embd_pdrop"
                                 << "0.3"
                                 << "embd_pdrop is 0.3 and resid_pdrop 0.1";
        QTest::addRow("heads") << "n_head"
                               << "3"
                               << "is not a multiple of 3 heads";
        QTest::addRow("type") << "n_layer"
                              << R"("two")"
                              << "config.json";
    }
    void refusesWhatItWouldComputeDifferently()
    {
        QFETCH(QString, key);
        QFETCH(QString, value);
        QFETCH(QString, said);
        const ModelSpec spec = smallModel(ModelFamily::Gpt);
        QVERIFY(writeHuggingFaceFolder(path() / "hf", spec, initialised(spec).parameters()).ok());
        const fs::path file = path() / "hf" / "config.json";
        auto json = nlohmann::ordered_json::parse(readFile(file).value());
        json[key.toStdString()] = nlohmann::ordered_json::parse(value.toStdString());
        QVERIFY(writeFileAtomically(file, json.dump()).ok());
        const auto opened = HuggingFaceModel::open(path() / "hf");
        QVERIFY(!opened.ok());
        QCOMPARE(opened.error().kind, ErrorKind::BadInput);
        QVERIFY2(opened.error().text().find(said.toStdString()) != std::string::npos,
                 opened.error().text().c_str());
    }

    void exportsOnlyWhatHuggingFaceHas_data()
    {
        QTest::addColumn<ModelSpec>("model");
        const auto row = [](const char* name, ModelFamily family,
                            const std::function<void(ModelSpec&)>& change) {
            QTest::addRow("%s", name) << with(smallModel(family), change);
        };
        row("rotary", ModelFamily::Gpt, [](ModelSpec& m) { m.positions = PositionEncoding::Rotary; });
        row("swiglu", ModelFamily::Gpt, [](ModelSpec& m) { m.activation = Activation::Swiglu; });
        row("post-norm decoder", ModelFamily::Gpt, [](ModelSpec& m) { m.norm = NormPlacement::Post; });
        row("pre-norm encoder", ModelFamily::Bert, [](ModelSpec& m) { m.norm = NormPlacement::Pre; });
    }
    void exportsOnlyWhatHuggingFaceHas()
    {
        QFETCH(ModelSpec, model);
        const Status status = writeHuggingFaceFolder(path() / "hf", model, initialised(model).parameters());
        QVERIFY(!status.ok());
        QCOMPARE(status.error().kind, ErrorKind::BadInput);
        QVERIFY(!fs::exists(path() / "hf"));
    }

    void asksForTasksThatItComputes_data()
    {
        QTest::addColumn<QString>("changes");
        QTest::addColumn<QString>("said");
        QTest::addRow("several labels") << R"({"problem_type": "multi_label_classification"})"
                                        << "multi_label_classification";
        QTest::addRow("several numbers") << R"({"problem_type": "regression"})"
                                         << "3 numbers for each row";
        QTest::addRow("no label") << R"({"id2label": {}})"
                                  << "has 0 labels";
    }
    void asksForTasksThatItComputes()
    {
        QFETCH(QString, changes);
        QFETCH(QString, said);
        const ModelSpec spec = models().front().second;
        QVERIFY(writeHuggingFaceFolder(path() / "hf", spec, initialised(spec).parameters()).ok());
        const fs::path file = path() / "hf" / "config.json";
        auto json = nlohmann::ordered_json::parse(readFile(file).value());
        json.update(nlohmann::ordered_json::parse(changes.toStdString()));
        QVERIFY(writeFileAtomically(file, json.dump()).ok());
        const auto opened = HuggingFaceModel::open(path() / "hf");
        QVERIFY(!opened.ok());
        QVERIFY2(opened.error().text().find(said.toStdString()) != std::string::npos,
                 opened.error().text().c_str());
    }

    void writesTheNamesOfLabels()
    {
        const ModelSpec spec = models().front().second;
        FolderExtras extras;
        extras.labels = {"late", "on time", "gestrichen – \"x\""};
        QVERIFY(
            writeHuggingFaceFolder(path() / "hf", spec, initialised(spec).parameters(), kWholeFile, extras)
                .ok());
        const auto json = nlohmann::ordered_json::parse(readFile(path() / "hf" / "config.json").value());
        QCOMPARE(json["id2label"]["1"].get<std::string>(), std::string("on time"));
        QCOMPARE(json["label2id"]["late"].get<int>(), 0);
        QCOMPARE(json["label2id"].size(), std::size_t(3));
        QCOMPARE(json["num_labels"].get<int>(), 3);
        QCOMPARE(json["problem_type"].get<std::string>(), std::string("single_label_classification"));
        QVERIFY(HuggingFaceFolder::open(path() / "hf")->labels() == extras.labels);
        QVERIFY(HuggingFaceModel::open(path() / "hf")->spec() == spec);
    }

    void namesOfAnotherTaskAreNotWritten()
    {
        const ModelSpec spec = models().front().second;
        FolderExtras extras;
        extras.labels = {"two", "names"};
        QVERIFY(
            writeHuggingFaceFolder(path() / "hf", spec, initialised(spec).parameters(), kWholeFile, extras)
                .ok());
        QVERIFY(HuggingFaceFolder::open(path() / "hf")->labels() ==
                (std::vector<std::string>{"LABEL_0", "LABEL_1", "LABEL_2"}));
    }

    void aRegressionHasOneOutputWithoutAName()
    {
        ModelSpec spec = models().front().second;
        spec.task = {.kind = TaskKind::Regress};
        QVERIFY(writeHuggingFaceFolder(path() / "hf", spec, initialised(spec).parameters()).ok());
        const auto json = nlohmann::ordered_json::parse(readFile(path() / "hf" / "config.json").value());
        QCOMPARE(json["problem_type"].get<std::string>(), std::string("regression"));
        QCOMPARE(json["num_labels"].get<int>(), 1);
        QCOMPARE(json["id2label"].size(), std::size_t(1));
        QVERIFY(HuggingFaceFolder::open(path() / "hf")->labels().empty());
    }

    // config.json of most models on the hub says no more than the number of labels.
    void problemTypeFollowsFromTheNumberOfLabels()
    {
        const ModelSpec spec = models().front().second;
        QVERIFY(writeHuggingFaceFolder(path() / "hf", spec, initialised(spec).parameters()).ok());
        const fs::path file = path() / "hf" / "config.json";
        auto json = nlohmann::ordered_json::parse(readFile(file).value());
        json.erase("problem_type");
        json["classifier_dropout"] = nullptr;
        json["hidden_dropout_prob"] = 0.25;
        QVERIFY(writeFileAtomically(file, json.dump()).ok());
        const TaskSpec wanted{.kind = TaskKind::Classify, .labels = 3, .dropout = 0.25};
        QVERIFY(HuggingFaceModel::open(path() / "hf")->spec().task == wanted);
        json["id2label"] = {{"0", "LABEL_0"}};
        QVERIFY(writeFileAtomically(file, json.dump()).ok());
        QVERIFY(HuggingFaceModel::open(path() / "hf")->spec().task.kind == TaskKind::Regress);
    }

    void exportDoesNotOverwrite()
    {
        const ModelSpec spec = smallModel(ModelFamily::Bert);
        const Status status = writeHuggingFaceFolder(path(), spec, initialised(spec).parameters());
        QCOMPARE(status.error().kind, ErrorKind::BadInput);
    }

private:
    fs::path path() const { return fs::path(m_folder->path().toStdString()); }

    // The model's folder "hf" with tensors as `change` leaves them.
    void writeChanged(const ModelSpec& spec, const LanguageModel& model, const Change& change) const
    {
        fs::remove_all(path() / "hf");
        QVERIFY(writeHuggingFaceFolder(path() / "hf", spec, model.parameters()).ok());
        const auto file = SafetensorsFile::open(path() / "hf" / "model.safetensors").value();
        std::vector<TensorBytes> tensors = file.tensors();
        change(tensors);
        QVERIFY(writeSafetensors(path() / "changed", tensors).ok());
        fs::rename(path() / "changed", path() / "hf" / "model.safetensors");
    }

    // The error, or nothing.
    std::string loadInto(LanguageModel& model) const
    {
        const auto opened = HuggingFaceModel::open(path() / "hf");
        return opened.ok() ? textOf(opened->load(model.parameters())) : opened.error().text();
    }

    std::unique_ptr<QTemporaryDir> m_folder;
};

QTEST_APPLESS_MAIN(TestHuggingFace)
#include "tst_hugging_face.moc"
