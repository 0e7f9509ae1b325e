#include <QTemporaryDir>
#include <QTest>

#include <filesystem>

#include <ATen/Parallel.h>
#include <nlohmann/json.hpp>

#include "engine/base/file.h"
#include "engine/checkpoint/format/safetensors.h"
#include "engine/checkpoint/hugging_face/format/hugging_face_folder.h"
#include "engine/checkpoint/hugging_face/hugging_face_export.h"
#include "engine/checkpoint/hugging_face/hugging_face_model.h"
#include "engine/checkpoint/hugging_face/stored_model.h"
#include "engine/checkpoint/tensor_views.h"
#include "engine/evaluation/evaluation.h"
#include "engine/memory/accounting_allocator.h"
#include "engine/model/adapter_names.h"
#include "engine/model/model_parameters.h"
#include "engine/nn/language_model.h"
#include "engine/spec/spec_json.h"
#include "tests/auto/evaluation/hugging_face_reference.h"
#include "tests/support/reference_data.h"

using namespace trainyard;
namespace fs = std::filesystem;

namespace {

// Made by Hugging Face's own code in float64, but for its loss: make_family_golden.py there.
const std::vector<const char*> kGolden{
    "gemma2-capped", "gemma2-uncapped", "gpt-neox-serial",  "llama-3",           "llama-linear",
    "llama-yarn",    "mistral-window",  "mixtral-window",   "modernbert-biased", "olmo2-grouped",
    "qwen2-window",  "qwen3-biased",    "qwen3-moe-sparse", "roberta-padded"};

// Models of tasks there.
const std::vector<const char*> kGoldenTasks{"modernbert-answer", "modernbert-classify", "modernbert-regress",
                                            "modernbert-tag",    "roberta-answer",      "roberta-classify",
                                            "roberta-regress",   "roberta-tag"};

// Models whose float64 is Hugging Face's: its code rounds norms, positions, softmax and loss to float32.
const std::vector<const char*> kReferences{"gemma2-tiny",    "gpt-neox-tiny",   "llama-tiny",  "mistral-tiny",
                                           "mixtral-tiny",   "modernbert-tiny", "olmo2-tiny",  "qwen2-tiny",
                                           "qwen3-moe-tiny", "qwen3-tiny",      "roberta-tiny"};

fs::path familyGolden(const QString& name)
{
    return fs::path(TRAINYARD_SOURCE_DIR) / "tests/golden/hugging_face" / name.toStdString();
}

fs::path familyReference(const QString& name)
{
    return referenceData("hf_families/" + name.toStdString());
}

EvalOptions evaluationOf(const fs::path& model)
{
    EvalOptions options;
    options.model = model;
    options.inputs = model / "inputs.safetensors";
    options.precision = ComputeType::Float64;
    return options;
}

/// Of whole tensors against the norm of all gradients, or of themselves where they are none.
double worstError(const SafetensorsFile& actual, const SafetensorsFile& expected)
{
    double gradients = 0;
    for (const TensorBytes& tensor : expected.tensors())
        gradients = std::hypot(gradients, isGradient(tensor) ? normOf(tensorFrom(tensor)) : 0.0);
    double worst = 0;
    for (const TensorBytes& tensor : expected.tensors()) {
        const TensorBytes* found = actual.find(tensor.name);
        if (!found || found->shape != tensor.shape)
            return 1;
        const at::Tensor wanted = tensorFrom(tensor).to(at::kDouble);
        const double error = normOf(tensorFrom(*found).to(at::kDouble) - wanted);
        worst = std::max(worst, error / (isGradient(tensor) ? gradients : normOf(wanted)));
    }
    return worst;
}

/// Some configurations give the width of a head, and some leave it out.
ModelSpec saidAlike(ModelSpec model)
{
    model.headWidth = model.headSize();
    return model;
}

OptimizerSpec adamWFrom(const nlohmann::json& json)
{
    OptimizerSpec spec;
    spec.kind = OptimizerKind::AdamW;
    spec.learningRate = json.at("lr");
    spec.epsilon = json.at("eps");
    spec.weightDecay = json.at("weight_decay");
    spec.clipNorm = json.at("clip");
    return spec;
}

} // namespace

class TestFamilies : public QObject {
    Q_OBJECT

private slots:
    void initTestCase()
    {
        AccountingAllocator::install();
        at::set_num_threads(1);
        NEEDS_REFERENCE(referenceData("hf_families"));
    }

    void givesLossLogitsAndGradients_data()
    {
        QTest::addColumn<QString>("name");
        for (const char* name : kReferences)
            QTest::addRow("%s", name) << name;
    }
    void givesLossLogitsAndGradients()
    {
        QFETCH(QString, name);
        const QTemporaryDir folder;
        EvalOptions options = evaluationOf(familyReference(name));
        options.out = fs::path(folder.path().toStdString()) / "out.safetensors";
        const auto result = runEval(options);
        QVERIFY2(result.ok(), result.ok() ? "" : result.error().text().c_str());
        const auto expected =
            SafetensorsFile::open(familyReference(name) / "expected_fp64.safetensors").value();
        const double worst = worstError(SafetensorsFile::open(*options.out).value(), expected);
        qInfo("largest relative error %.2e", worst);
        QVERIFY(worst <= 3e-7); // float32 in Hugging Face's code
    }

    // As one rank, in each kind of layout; loss and first gradient of most are float32 numbers there.
    void givesTheSameInEveryLayout_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QByteArray>("layout");
        const char* const layouts[] = {
            R"("layout": {"data": 4})",
            R"("layout": {"data": 2}, "memory": {"zero_stage": 2})",
            R"("layout": {"data": 2}, "memory": {"zero_stage": 3})",
            R"("layout": {"pipeline": 3}, "memory": {"recompute": "full"})",
            R"("layout": {"pipeline": 3, "schedule": "zero-bubble"})",
            R"("layout": {"tensor": 2}, "memory": {"recompute": "selective"})",
            R"("layout": {"tensor": 2, "sequence": true, "data": 2}, "memory": {"zero_stage": 1})",
            R"("layout": {"context": 2})"};
        for (const char* name : kReferences) {
            for (const char* layout : layouts)
                QTest::addRow("%s %s", name, layout) << name << QByteArray(layout);
        }
    }
    void givesTheSameInEveryLayout()
    {
        QFETCH(QString, name);
        QFETCH(QByteArray, layout);
        const QTemporaryDir folder;
        EvalOptions options = evaluationOf(familyReference(name));
        options.out = fs::path(folder.path().toStdString()) / "one.safetensors";
        QVERIFY(runEval(options).ok());
        const auto expected = SafetensorsFile::open(*options.out).value();
        options.out = fs::path(folder.path().toStdString()) / "layout.safetensors";
        options.layout =
            parseSpec("{\"trainyard\": 1, \"name\": \"layout\", " + layout.toStdString() + "}").spec;
        const ModelSpec model = StoredModel::open(familyReference(name)).value().spec();
        const auto result = runEval(options);
        if (options.layout->layout.context > 1 &&
            (model.window > 0 || model.scoreCap > 0 || model.experts.isOn())) {
            QVERIFY(!result.ok());
            QCOMPARE(result.error().kind, ErrorKind::Refused);
            return;
        }
        QVERIFY2(result.ok(), result.ok() ? "" : result.error().text().c_str());
        QVERIFY(worstError(SafetensorsFile::open(*options.out).value(), expected) <=
                1e-6); // the loss is a float32 number
    }

    void reproducesTheLossSeries_data() { givesLossLogitsAndGradients_data(); }
    void reproducesTheLossSeries()
    {
        QFETCH(QString, name);
        const auto expected =
            nlohmann::json::parse(readFile(familyReference(name) / "expected.json").value()).at("adamw");
        EvalOptions options = evaluationOf(familyReference(name));
        const auto steps = static_cast<int>(expected.at("losses").size());
        options.training = EvalTraining{adamWFrom(expected), steps};
        const TrainingSeries series = runEval(options).value();
        const double losses = worstRelative(series.losses, expected.at("losses"));
        const double norms = worstRelative(series.gradientNorms, expected.at("grad_norms"));
        qInfo("largest relative error: losses %.2e, gradient norms %.2e", losses, norms);
        QVERIFY(losses <= 1e-6);
        // Twenty steps magnify what float32 in Hugging Face's code rounds: without it, it is as far from
        // this.
        QVERIFY(norms <= 1e-4);
    }

    void comesBackFromImportAndExport_data()
    {
        QTest::addColumn<QString>("path");
        for (const char* name : kReferences)
            QTest::addRow("%s", name) << QString::fromStdString(familyReference(name).string());
        for (const auto& names : {kGolden, kGoldenTasks}) {
            for (const char* name : names)
                QTest::addRow("%s", name) << QString::fromStdString(familyGolden(name).string());
        }
    }
    void comesBackFromImportAndExport()
    {
        QFETCH(QString, path);
        const QTemporaryDir folder;
        const fs::path exported = fs::path(folder.path().toStdString()) / "hf";
        auto stored = StoredModel::open(path.toStdString()).value();
        const auto model = stored.load(ComputeType::Float32).value();
        FolderExtras extras;
        extras.fusesExperts = HuggingFaceFolder::open(path.toStdString()).value().fusesExperts();
        const Status written =
            writeHuggingFaceFolder(exported, model->spec(), model->parameters(), 5 * kGiB, extras);
        QVERIFY2(written.ok(), written.ok() ? "" : written.error().text().c_str());
        auto again = StoredModel::open(exported).value();
        QVERIFY(saidAlike(again.spec()) == saidAlike(stored.spec()));
        const auto before = SafetensorsFile::open(path.toStdString() + "/model.safetensors").value();
        const auto after = SafetensorsFile::open(exported / "model.safetensors").value();
        for (const TensorBytes& tensor : before.tensors()) {
            const bool isRenamed = tensor.name == "embed_out.weight"; // as published, lm_head.weight since
            const TensorBytes* found = after.find(isRenamed ? "lm_head.weight" : tensor.name);
            QVERIFY2(found, tensor.name.c_str());
            QVERIFY2(std::ranges::equal(found->bytes, tensor.bytes), tensor.name.c_str());
        }
        QCOMPARE(after.tensors().size(), before.tensors().size());
    }

    // As versions of transformers before 5 wrote them.
    void readsOlderConfigurations_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QByteArray>("older");
        const auto row = [](const char* name, const char* older) {
            QTest::addRow("%s", name) << name << QByteArray(older);
        };
        row("llama-3", R"({"rope_theta": 10000.0, "rope_scaling": {"rope_type": "llama3", "factor": 8.0,
            "low_freq_factor": 1.0, "high_freq_factor": 4.0, "original_max_position_embeddings": 8}})");
        row("llama-linear", R"({"rope_theta": 10000.0, "rope_scaling": {"type": "linear", "factor": 2.0}})");
        row("mistral-window", R"({"rope_theta": 10000.0})");
        row("gpt-neox-serial", R"({"rotary_pct": 0.5, "rotary_emb_base": 10000})");
        row("modernbert-biased", R"({"global_rope_theta": 160000.0, "local_rope_theta": 10000.0})");
        row("gemma2-capped", R"({"rope_theta": 10000.0, "layer_types": null})");
        row("mixtral-window", R"({"rope_theta": 1000000.0})");
    }
    void readsOlderConfigurations()
    {
        QFETCH(QString, name);
        QFETCH(QByteArray, older);
        const QTemporaryDir folder;
        const fs::path old = fs::path(folder.path().toStdString()) / "hf";
        fs::copy(familyGolden(name), old);
        auto config = nlohmann::ordered_json::parse(readFile(old / "config.json").value());
        config.erase("rope_parameters");
        config.update(nlohmann::ordered_json::parse(older.toStdString()));
        QVERIFY(writeFileAtomically(old / "config.json", config.dump()).ok());
        const auto opened = StoredModel::open(old);
        QVERIFY2(opened.ok(), opened.ok() ? "" : opened.error().text().c_str());
        QVERIFY(opened->spec() == StoredModel::open(familyGolden(name)).value().spec());
    }

    // PEFT trains the module "classifier" beside the adapters, of RoBERTa both of its products.
    void adaptersLeaveNewHeadsTrained_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QStringList>("trained");
        const QStringList output{"classifier.bias", "classifier.weight"};
        QTest::addRow("roberta-classify")
            << "roberta-classify"
            << QStringList{"classifier.dense.bias", "classifier.dense.weight", "classifier.out_proj.bias",
                           "classifier.out_proj.weight"};
        QTest::addRow("roberta-tag") << "roberta-tag" << output;
        QTest::addRow("roberta-answer")
            << "roberta-answer" << QStringList{"qa_outputs.bias", "qa_outputs.weight"};
        for (const char* name : {"modernbert-classify", "modernbert-tag", "modernbert-answer"})
            QTest::addRow("%s", name) << name << output;
    }
    void adaptersLeaveNewHeadsTrained()
    {
        QFETCH(QString, name);
        ModelSpec model = StoredModel::open(familyGolden(name)).value().spec();
        model.lora.rank = 2;
        QStringList trained;
        for (const ParameterSpec& parameter : modelParameters(model)) {
            if (!parameter.isFrozen && !isOfAdapter(parameter.name))
                trained << QString::fromStdString(parameter.name);
        }
        trained.sort();
        QTEST(trained, "trained");
    }

    // As models that were drawn here are written.
    void knowsAModernBertWithoutPaddingWord()
    {
        const QTemporaryDir folder;
        const fs::path hf = fs::path(folder.path().toStdString()) / "hf", again = hf.parent_path() / "again";
        fs::copy(familyGolden("modernbert-biased"), hf);
        auto config = nlohmann::ordered_json::parse(readFile(hf / "config.json").value());
        config["pad_token_id"] = nullptr;
        QVERIFY(writeFileAtomically(hf / "config.json", config.dump()).ok());
        auto stored = StoredModel::open(hf);
        QVERIFY2(stored.ok(), stored.ok() ? "" : stored.error().text().c_str());
        QCOMPARE(stored->spec().paddingWord, -1);
        const auto model = stored->load(ComputeType::Float32).value();
        const Status written = writeHuggingFaceFolder(again, model->spec(), model->parameters());
        QVERIFY2(written.ok(), written.ok() ? "" : written.error().text().c_str());
        QCOMPARE(StoredModel::open(again)->spec().paddingWord, -1);
    }

    // As Qwen 2 has them: all tokens are seen by so many layers at the front.
    void readsWindowsBehindTheFirstLayers_data()
    {
        QTest::addColumn<QByteArray>("config");
        const auto row = [](const char* name, const char* config) {
            QTest::addRow("%s", name) << QByteArray(config);
        };
        row("max_window_layers", R"({"num_hidden_layers": 5, "layer_types": null, "max_window_layers": 2})");
        row("layer_types", R"({"num_hidden_layers": 5, "layer_types": ["full_attention", "full_attention",
            "sliding_attention", "sliding_attention", "sliding_attention"]})");
    }
    void readsWindowsBehindTheFirstLayers()
    {
        QFETCH(QByteArray, config);
        const QTemporaryDir folder;
        const fs::path changed = fs::path(folder.path().toStdString()) / "hf";
        fs::copy(familyGolden("qwen2-window"), changed);
        auto json = nlohmann::ordered_json::parse(readFile(changed / "config.json").value());
        json.update(nlohmann::ordered_json::parse(config.toStdString()));
        QVERIFY(writeFileAtomically(changed / "config.json", json.dump()).ok());
        const auto opened = HuggingFaceFolder::open(changed);
        QVERIFY2(opened.ok(), opened.ok() ? "" : opened.error().text().c_str());
        std::vector<bool> windowed;
        for (int layer = 0; layer < 5; ++layer)
            windowed.push_back(opened->spec().hasWindow(layer));
        QCOMPARE(windowed, (std::vector<bool>{false, false, true, true, true}));
    }

    void takesExpertsTogetherOrApart_data()
    {
        QTest::addColumn<QString>("name");
        for (const char* name : {"mixtral-window", "qwen3-moe-sparse"})
            QTest::addRow("%s", name) << name;
    }
    void takesExpertsTogetherOrApart()
    {
        QFETCH(QString, name);
        const QTemporaryDir folder;
        const fs::path fused = fs::path(folder.path().toStdString()) / "fused";
        const auto apart = StoredModel::open(familyGolden(name)).value().load(ComputeType::Float32).value();
        FolderExtras extras;
        extras.fusesExperts = true;
        QVERIFY(writeHuggingFaceFolder(fused, apart->spec(), apart->parameters(), 5 * kGiB, extras).ok());
        QVERIFY(HuggingFaceFolder::open(fused).value().fusesExperts());
        const auto together = StoredModel::open(fused).value().load(ComputeType::Float32).value();
        for (const Parameter& parameter : apart->parameters().parameters())
            QVERIFY2(together->parameters().parameter(parameter.spec.name).master.equal(parameter.master),
                     parameter.spec.name.c_str());
    }

    void refusesAnExpertWithoutANumber()
    {
        const QTemporaryDir folder;
        const fs::path broken = fs::path(folder.path().toStdString()) / "hf";
        fs::copy(familyGolden("mixtral-window"), broken);
        const auto file = SafetensorsFile::open(broken / "model.safetensors").value();
        std::vector<TensorBytes> tensors = file.tensors();
        for (TensorBytes& tensor : tensors) {
            if (tensor.name == "model.layers.1.block_sparse_moe.experts.2.w3.weight")
                tensor.name = "model.layers.1.block_sparse_moe.experts.-1.w3.weight";
        }
        QVERIFY(writeSafetensors(broken / "other.safetensors", tensors).ok());
        fs::rename(broken / "other.safetensors", broken / "model.safetensors");
        LanguageModel model(HuggingFaceFolder::open(broken).value().spec(), ComputeType::Float32);
        const Status loaded = HuggingFaceModel::open(broken).value().load(model.parameters());
        QVERIFY(!loaded.ok());
        QVERIFY2(loaded.error().text().find("experts.-1.w3.weight is not part of") != std::string::npos,
                 loaded.error().text().c_str());
    }

    void namesTheExpertThatIsMissing()
    {
        const QTemporaryDir folder;
        const fs::path broken = fs::path(folder.path().toStdString()) / "hf";
        fs::copy(familyGolden("mixtral-window"), broken);
        const auto file = SafetensorsFile::open(broken / "model.safetensors").value();
        std::vector<TensorBytes> tensors = file.tensors();
        std::erase_if(tensors, [](const TensorBytes& tensor) {
            return tensor.name == "model.layers.1.block_sparse_moe.experts.2.w3.weight";
        });
        QVERIFY(writeSafetensors(broken / "less.safetensors", tensors).ok());
        fs::rename(broken / "less.safetensors", broken / "model.safetensors");
        LanguageModel model(HuggingFaceFolder::open(broken).value().spec(), ComputeType::Float32);
        const Status loaded = HuggingFaceModel::open(broken).value().load(model.parameters());
        QVERIFY(!loaded.ok());
        QVERIFY2(
            loaded.error().text().find("part of tensor model.layers.1.mlp.experts.gate_up_proj is missing") !=
                std::string::npos,
            loaded.error().text().c_str());
    }

    void saysWhatHuggingFaceCannotSay()
    {
        const QTemporaryDir folder;
        ModelSpec model = StoredModel::open(familyGolden("llama-3")).value().spec();
        model.normKind = NormKind::LayerNorm;
        const Status refused = checkHuggingFaceFolder(fs::path(folder.path().toStdString()) / "hf", model);
        QVERIFY(!refused.ok());
        QVERIFY2(refused.error().message.find("model.norm_kind") != std::string::npos,
                 refused.error().message.c_str());
    }

    void refusesWhatItWouldComputeDifferently_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QByteArray>("change");
        QTest::addColumn<QString>("said");
        const auto row = [](const char* name, const char* change, const char* said) {
            QTest::addRow("%s %s", name, change) << name << QByteArray(change) << said;
        };
        row("llama-3", R"({"hidden_act": "tanh"})", "hidden_act is \"tanh\"");
        row("llama-3", R"({"rope_parameters": {"rope_type": "longrope"}})", "rope_type is \"longrope\"");
        row("llama-3", R"({"rope_parameters": {"rope_type": "linear", "factor": 0.0}})", "is 0");
        row("llama-3", R"({"num_attention_heads": 0})", "0 heads");
        row("gpt-neox-serial", R"({"rope_parameters": {"rope_type": "default", "partial_rotary_factor": 0}})",
            "partial_rotary_factor is 0");
        row("llama-3", R"({"num_key_value_heads": 3})", "cannot share 3 heads of keys and values evenly");
        row("qwen2-window", R"({"layer_types": ["full_attention", "chunked"]})",
            "layer_types has \"chunked\"");
        row("roberta-padded", R"({"pad_token_id": 3})", "pad_token_id is 3");
        row("modernbert-biased", R"({"decoder_bias": false})", "decoder_bias is false");
        row("modernbert-biased", R"({"classifier_activation": "relu"})", "classifier_activation is \"relu\"");
        row("modernbert-classify", R"({"classifier_pooling": "mean"})", "classifier_pooling is \"mean\"");
        row("roberta-classify", R"({"problem_type": "multi_label_classification"})",
            "problem_type is \"multi_label_classification\"");
        row("gpt-neox-serial", R"({"hidden_act": 3})", "config.json");
        row("mixtral-window", R"({"router_jitter_noise": 0.1})", "router_jitter_noise is 0.1");
        row("mixtral-window", R"({"num_experts_per_tok": 5})", "more than there are experts");
        row("qwen3-moe-sparse", R"({"mlp_only_layers": [0]})", "mlp_only_layers is [0]");
        row("qwen3-moe-sparse", R"({"decoder_sparse_step": 0})", "decoder_sparse_step");
    }
    void refusesWhatItWouldComputeDifferently()
    {
        QFETCH(QString, name);
        QFETCH(QByteArray, change);
        QFETCH(QString, said);
        const QTemporaryDir folder;
        const fs::path changed = fs::path(folder.path().toStdString()) / "hf";
        fs::copy(familyGolden(name), changed);
        auto config = nlohmann::ordered_json::parse(readFile(changed / "config.json").value());
        config.update(nlohmann::ordered_json::parse(change.toStdString()));
        QVERIFY(writeFileAtomically(changed / "config.json", config.dump()).ok());
        const auto opened = StoredModel::open(changed);
        QVERIFY(!opened.ok());
        QVERIFY2(opened.error().text().find(said.toStdString()) != std::string::npos,
                 opened.error().text().c_str());
    }
};

QTEST_APPLESS_MAIN(TestFamilies)
#include "tst_families.moc"
