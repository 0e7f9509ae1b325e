#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <optional>

#include <ATen/Parallel.h>

#include "engine/base/file.h"
#include "engine/checkpoint/format/checkpoint_reader.h"
#include "engine/checkpoint/format/safetensors.h"
#include "engine/checkpoint/hugging_face/adapter_folder.h"
#include "engine/checkpoint/hugging_face/conversion_commands.h"
#include "engine/checkpoint/hugging_face/hugging_face_export.h"
#include "engine/checkpoint/hugging_face/hugging_face_model.h"
#include "engine/checkpoint/hugging_face/stored_model.h"
#include "engine/checkpoint/tensor_views.h"
#include "engine/checkpoint/training_state.h"
#include "engine/checkpoint/weights/weight_comparison.h"
#include "engine/checkpoint/weights/weight_source.h"
#include "engine/evaluation/eval_inputs.h"
#include "engine/memory/accounting_allocator.h"
#include "engine/model/adapter_names.h"
#include "engine/nn/language_model.h"
#include "engine/optim/optimizer.h"
#include "tests/support/tested_device/tested_device.h"

using namespace trainyard;
namespace fs = std::filesystem;

namespace {

constexpr int kAdapterSteps = 20;
constexpr const char* kPeft = "base_model.model.";

/// What make_golden.py in tests/golden/peft trained, with the same settings.
struct PeftCase {
    const char* name;
    const char* base; ///< in tests/golden/hugging_face
    LoraSpec lora;
    TaskKind task = TaskKind::None;
};

const std::vector<PeftCase>& peftCases()
{
    static const std::vector<PeftCase> cases{
        {"bert", "bert", {.rank = 2, .alpha = 6, .targets = {}}},
        {"bert-every-product",
         "bert",
         {.rank = 3, .alpha = 3, .targets = {"query", "key", "value", "output.dense", "intermediate.dense"}}},
        {"bert-classify", "bert", {.rank = 2, .alpha = 4, .targets = {"key", "value"}}, TaskKind::Classify},
        {"gpt2", "gpt2", {.rank = 2, .alpha = 4, .targets = {}}},
        {"gpt2-every-product", "gpt2", {.rank = 3, .alpha = 6, .targets = {"c_attn", "c_proj", "c_fc"}}}};
    return cases;
}

fs::path goldenOf(const char* folder)
{
    return fs::path(TRAINYARD_SOURCE_DIR) / "tests/golden" / folder;
}

OptimizerSpec adamOfPeft()
{
    OptimizerSpec adam;
    adam.learningRate = 1e-2;
    adam.weightDecay = 0.01;
    adam.clipNorm = 0;
    return adam;
}

/// A small model with adapters, in the state in which PEFT began.
class AdaptedModel {
public:
    explicit AdaptedModel(const PeftCase& asked, ComputeType type = ComputeType::Float64)
    {
        const auto base = HuggingFaceModel::open(goldenOf("hugging_face") / asked.base).value();
        LanguageModel whole(base.spec(), type);
        if (!base.load(whole.parameters()).ok())
            qFatal("the base model of %s cannot be read", asked.name);
        batch =
            readEvalInputs(goldenOf("hugging_face") / asked.base / "inputs.safetensors", base.spec()).value();
        ModelSpec spec = base.spec();
        spec.lora = asked.lora;
        spec.task.kind = asked.task;
        spec.nextSentence = spec.nextSentence && asked.task == TaskKind::None;
        model = std::make_unique<LanguageModel>(spec, type, directRunner(), testedDevice());
        const auto initial =
            SafetensorsFile::open(goldenOf("peft") / asked.name / "initial.safetensors").value();
        for (const Parameter& parameter : model->parameters().parameters()) {
            const TensorBytes* drawn = initial.find(kPeft + parameter.spec.name);
            parameter.master.copy_(drawn ? tensorFrom(*drawn)
                                         : whole.parameters().parameter(parameter.spec.name).master);
        }
        model->parameters().refreshWorkingCopy();
        optimizer = makeOptimizer(adamOfPeft(), optimizedTensors(model->parameters()));
    }

    double loss()
    {
        const LossSums sums = model->forward(batch, std::nullopt);
        return sums.normalised(batch.targetCount(), batch.sequences()).item<double>();
    }

    double step()
    {
        ParameterStore& parameters = model->parameters();
        parameters.beginGradients();
        const at::Tensor loss =
            model->forward(batch, std::nullopt).normalised(batch.targetCount(), batch.sequences());
        loss.backward();
        optimizer->step(adamOfPeft().learningRate, 1.0);
        return loss.item<double>();
    }

    std::unique_ptr<LanguageModel> model;
    std::unique_ptr<Optimizer> optimizer;
    TokenBatch batch;
};

double largestGap(const at::Tensor& a, const at::Tensor& b)
{
    return (a.to(at::kDouble) - b.to(at::kDouble)).abs().max().item<double>();
}

std::vector<std::pair<std::string, at::Tensor>> frozenCopies(const ParameterStore& parameters)
{
    std::vector<std::pair<std::string, at::Tensor>> copies;
    for (const Parameter& parameter : parameters.parameters()) {
        if (parameter.spec.isFrozen)
            copies.emplace_back(parameter.spec.name, parameter.master.clone());
    }
    return copies;
}

/// One that has PEFT; empty: none.
QString pythonWithPeft()
{
    const QString chosen = qEnvironmentVariable("TRAINYARD_PEFT_PYTHON", "python3");
    return QProcess::execute(chosen, {"-c", "import peft, transformers"}) == 0 ? chosen : QString();
}

} // namespace

class TestLowRankAdapters : public QObject {
    Q_OBJECT

private slots:
    void initTestCase()
    {
        AccountingAllocator::install();
        at::set_num_threads(1);
    }

    void init() { m_folder = std::make_unique<QTemporaryDir>(); }

    void trainAsInPeft_data() { addCases(); }
    void trainAsInPeft()
    {
        AdaptedModel adapted(asked());
        const auto trained =
            SafetensorsFile::open(goldenOf("peft") / asked().name / "trained.safetensors").value();
        const at::Tensor losses = tensorFrom(*trained.find("losses"));
        double worstLoss = 0;
        for (int step = 0; step < kAdapterSteps; ++step)
            worstLoss = std::max(worstLoss, std::abs(adapted.step() - losses[step].item<double>()));
        double worstWeight = 0;
        std::size_t compared = 0;
        for (const Parameter& parameter : adapted.model->parameters().parameters()) {
            if (parameter.spec.isFrozen)
                continue;
            const TensorBytes* expected = trained.find(kPeft + parameter.spec.name);
            QVERIFY2(expected, parameter.spec.name.c_str());
            worstWeight = std::max(worstWeight, largestGap(parameter.master, tensorFrom(*expected)));
            ++compared;
        }
        qInfo("largest difference: losses %.2e, weights %.2e", worstLoss, worstWeight);
        QCOMPARE(compared + 1, trained.tensors().size()); // with the losses
        QVERIFY(worstLoss <= 1e-6);
        QVERIFY(worstWeight <= 1e-6);
    }

    void frozenWeightsStay_data() { addCases(); }
    void frozenWeightsStay()
    {
        AdaptedModel adapted(asked());
        const ParameterStore& parameters = adapted.model->parameters();
        const auto before = frozenCopies(parameters);
        QVERIFY(before.size() > 10);
        for (int step = 0; step < 3; ++step)
            adapted.step();
        std::int64_t trained = 0;
        for (const Parameter& parameter : parameters.parameters()) {
            QCOMPARE(parameter.gradient.defined(), !parameter.spec.isFrozen);
            trained += parameter.spec.isFrozen ? 0 : parameter.count;
        }
        for (const auto& [name, values] : before)
            QVERIFY2(parameters.parameter(name).master.equal(values), name.c_str());
        std::int64_t moments = 0;
        for (const StateTensor& state : adapted.optimizer->state())
            moments += state.value.numel();
        QCOMPARE(moments, 2 * trained);
        QCOMPARE(parameters.flatGradients().numel(), parameters.layout().trainedCount());
    }

    void beginAsTheBaseModel()
    {
        AdaptedModel adapted(peftCases().front());
        ModelSpec spec = adapted.model->spec();
        LanguageModel drawn(spec, ComputeType::Float64, directRunner(), testedDevice());
        drawn.parameters().initialize(3, 0.02);
        spec.lora = {};
        LanguageModel base(spec, ComputeType::Float64, directRunner(), testedDevice());
        base.parameters().initialize(3, 0.02);
        const auto loss = [&](const LanguageModel& model) {
            return model.forward(adapted.batch, std::nullopt).tokens.item<double>();
        };
        QCOMPARE(loss(drawn), loss(base));
        const Parameter& down =
            drawn.parameters().parameter("bert.encoder.layer.1.attention.self.value.lora_A.weight");
        const double bound = 1 / std::sqrt(8.0); // of inputs of width 8
        QVERIFY(down.master.abs().max().item<double>() < bound);
        QVERIFY(down.master.abs().max().item<double>() > 0.5 * bound);
    }

    void continueFromACheckpoint_data() { addCases(); }
    void continueFromACheckpoint()
    {
        AdaptedModel undisturbed(asked());
        undisturbed.step();
        undisturbed.step();
        QVERIFY(save(undisturbed, 2).ok());
        AdaptedModel resumed(asked());
        auto reader = CheckpointReader::open(path("checkpoints") / "step-000000002");
        QVERIFY(reader.ok());
        QVERIFY(TrainingState(resumed.model->parameters(), resumed.optimizer.get()).load(*reader).ok());
        for (int step = 0; step < 3; ++step)
            QCOMPARE(resumed.step(), undisturbed.step());
        QVERIFY(
            resumed.model->parameters().flatMasters().equal(undisturbed.model->parameters().flatMasters()));
    }

    void leaveMergedIntoTheWeights_data() { addCases(); }
    void leaveMergedIntoTheWeights()
    {
        AdaptedModel adapted(asked(), ComputeType::Float32);
        for (int step = 0; step < 3; ++step)
            adapted.step();
        QVERIFY(save(adapted, 3).ok());
        QVERIFY(runExport({path("checkpoints"), path("merged")}).ok());
        const auto merged = HuggingFaceModel::open(path("merged"));
        QVERIFY2(merged.ok(), merged.ok() ? "" : merged.error().text().c_str());
        QVERIFY(!merged->spec().lora.isOn());
        LanguageModel plain(merged->spec(), ComputeType::Float32);
        QVERIFY(merged->load(plain.parameters()).ok());
        const LossSums sums = plain.forward(adapted.batch, std::nullopt);
        const double loss =
            sums.normalised(adapted.batch.targetCount(), adapted.batch.sequences()).item<double>();
        QVERIFY2(std::abs(loss - adapted.loss()) < 1e-5, qPrintable(QString::number(loss)));
    }

    void leaveInPeftsFormat_data() { addCases(); }
    void leaveInPeftsFormat()
    {
        AdaptedModel adapted(asked(), ComputeType::Float32);
        adapted.step();
        QVERIFY(save(adapted, 1).ok());
        QVERIFY(runExport({path("checkpoints"), path("adapters"), kWholeFile, {}, true}).ok());
        const auto written = SafetensorsFile::open(path("adapters") / "adapter_model.safetensors").value();
        const auto expected =
            SafetensorsFile::open(goldenOf("peft") / asked().name / "initial.safetensors").value();
        QCOMPARE(written.tensors().size(), expected.tensors().size());
        for (const TensorBytes& tensor : expected.tensors()) {
            const TensorBytes* same = written.find(tensor.name);
            QVERIFY2(same && same->shape == tensor.shape, tensor.name.c_str());
        }
    }

    void returnFromPeftsFormat_data() { addCases(); }
    void returnFromPeftsFormat()
    {
        AdaptedModel adapted(asked(), ComputeType::Float32);
        for (int step = 0; step < 3; ++step)
            adapted.step();
        exportAdapters(adapted);
        auto stored = StoredModel::open(path("adapters"));
        QVERIFY2(stored.ok(), stored.ok() ? "" : stored.error().text().c_str());
        QCOMPARE(stored->spec().lora.rank, asked().lora.rank);
        const auto model = stored->load(ComputeType::Float32, testedDevice());
        QVERIFY2(model.ok(), model.ok() ? "" : model.error().text().c_str());
        const LossSums sums = (*model)->forward(adapted.batch, std::nullopt);
        QCOMPARE(sums.normalised(adapted.batch.targetCount(), adapted.batch.sequences()).item<double>(),
                 adapted.loss());
        RunSpec run; // that continues with them
        run.model = adapted.model->spec();
        run.init.path = path("adapters");
        const auto weights = openWeights(path("adapters"));
        QVERIFY(weights.ok());
        const WeightComparison found = compareWeights((*weights)->description(), run);
        QVERIFY2(found.problems.empty(), found.problems.empty() ? "" : found.problems[0].text().c_str());
        QVERIFY(found.drawn.empty());
    }

    void areRefusedForARunWithOthers_data()
    {
        QTest::addColumn<int>("rank");
        QTest::addColumn<double>("alpha");
        QTest::addColumn<QString>("target");
        QTest::addColumn<QString>("path");
        QTest::addRow("the same") << 2 << 6.0 << "value"
                                  << "";
        QTest::addRow("no adapters") << 0 << 6.0 << "value"
                                     << "lora.rank";
        QTest::addRow("rank") << 4 << 6.0 << "value"
                              << "lora.rank";
        QTest::addRow("alpha") << 2 << 8.0 << "value"
                               << "lora.alpha";
        QTest::addRow("targets") << 2 << 6.0 << "key"
                                 << "lora.targets";
    }
    void areRefusedForARunWithOthers()
    {
        QFETCH(int, rank);
        QFETCH(double, alpha);
        QFETCH(QString, target);
        AdaptedModel adapted(peftCases().front(), ComputeType::Float32);
        exportAdapters(adapted);
        RunSpec run;
        run.model = adapted.model->spec();
        run.model.lora = {
            .rank = rank, .alpha = alpha, .targets = {"attention.self.query", target.toStdString()}};
        const auto weights = openWeights(path("adapters"));
        QVERIFY2(weights.ok(), weights.ok() ? "" : weights.error().text().c_str());
        const WeightComparison found = compareWeights((*weights)->description(), run);
        QTEST(QString::fromStdString(found.problems.empty() ? "" : found.problems.front().path), "path");
    }

    void areRefusedWithAReason_data()
    {
        QTest::addColumn<QByteArray>("from");
        QTest::addColumn<QByteArray>("to");
        QTest::addColumn<QString>("said");
        QTest::addRow("no base") << QByteArray("\"../base\"") << QByteArray("null")
                                 << "this folder has adapters only, and names no base_model_name_or_path";
        QTest::addRow("base of a hub") << QByteArray("../base") << QByteArray("google/bert")
                                       << "this folder has adapters only, and its base_model_name_or_path, "
                                          "google/bert, is no folder here";
        QTest::addRow("merged instead") << QByteArray("../base") << QByteArray("google/bert")
                                        << "`trainyard export` writes without --adapters";
        QTest::addRow("base of adapters")
            << QByteArray("../base") << QByteArray("../adapters") << "has adapters itself";
        QTest::addRow("other kind") << QByteArray("\"LORA\"") << QByteArray("\"IA3\"")
                                    << "adapter_config.json: peft_type is \"IA3\", which is not supported";
        QTest::addRow("other scale") << QByteArray("\"use_rslora\": false")
                                     << QByteArray("\"use_rslora\": true") << "use_rslora is true";
        QTest::addRow("ranks by layer")
            << QByteArray("\"rank_pattern\": {}") << QByteArray("\"rank_pattern\": {\"query\": 4}")
            << "rank_pattern is";
        QTest::addRow("no rank") << QByteArray("\"r\": 2") << QByteArray("\"r\": 0") << "r is 0";
        QTest::addRow("missing") << QByteArray("\"lora_alpha\"") << QByteArray("\"alpha\"")
                                 << "\"lora_alpha\" is missing";
        QTest::addRow("no JSON") << QByteArray("{") << QByteArray("")
                                 << "adapter_config.json: not valid JSON";
    }
    void areRefusedWithAReason()
    {
        QFETCH(QByteArray, from);
        QFETCH(QByteArray, to);
        QFETCH(QString, said);
        AdaptedModel adapted(peftCases().front(), ComputeType::Float32);
        exportAdapters(adapted);
        changeConfig(from, to);
        const auto stored = StoredModel::open(path("adapters"));
        QVERIFY(!stored.ok());
        const QString text = QString::fromStdString(stored.error().text());
        QVERIFY2(text.contains(said), qPrintable(text));
    }

    void loadInPeft_data() { addCases(); }
    void loadInPeft()
    {
        const QString python = pythonWithPeft();
        if (python.isEmpty())
            QSKIP("PEFT is not installed (python3, or $TRAINYARD_PEFT_PYTHON).");
        AdaptedModel adapted(asked(), ComputeType::Float32);
        for (int step = 0; step < 3; ++step)
            adapted.step();
        QVERIFY(save(adapted, 3).ok());
        QVERIFY(runExport({path("checkpoints"), path("adapters"), kWholeFile, {}, true}).ok());
        QProcess reader;
        reader.start(python, {"-B", TRAINYARD_SOURCE_DIR "/tests/golden/peft/read_back.py",
                              QString::fromStdString((goldenOf("hugging_face") / asked().base).string()),
                              QString::fromStdString(path("adapters").string())});
        QVERIFY(reader.waitForFinished(-1));
        const QByteArray complaint = reader.readAllStandardError();
        QVERIFY2(reader.exitCode() == 0, complaint.constData());
        const double loss = reader.readAllStandardOutput().trimmed().toDouble();
        QVERIFY2(std::abs(loss - adapted.loss()) < 1e-5, qPrintable(QString::number(loss)));
    }

    void refusesToExportAdaptersOfAModelWithoutThem()
    {
        AdaptedModel adapted(PeftCase{"gpt2", "gpt2", {}});
        QVERIFY(save(adapted, 1).ok());
        const Status status = runExport({path("checkpoints"), path("adapters"), kWholeFile, {}, true});
        QVERIFY(!status.ok());
        QVERIFY2(status.error().text().find("without low-rank adapters") != std::string::npos,
                 status.error().text().c_str());
        QVERIFY(!fs::exists(path("adapters")));
    }

private:
    static void addCases()
    {
        QTest::addColumn<int>("number");
        for (std::size_t i = 0; i < peftCases().size(); ++i)
            QTest::addRow("%s", peftCases()[i].name) << int(i);
    }
    static const PeftCase& asked()
    {
        QFETCH(int, number);
        return peftCases()[std::size_t(number)];
    }

    /// To the folder "adapters", next to a folder "base" with the model that they are for.
    void exportAdapters(AdaptedModel& adapted)
    {
        const char* base = adapted.model->spec().family == ModelFamily::Gpt ? "gpt2" : "bert";
        fs::create_directory_symlink(goldenOf("hugging_face") / base, path("base"));
        QVERIFY(save(adapted, 3).ok());
        QVERIFY(runExport({path("checkpoints"), path("adapters"), kWholeFile, {}, true}).ok());
        changeConfig("\"base_model_name_or_path\": null", "\"base_model_name_or_path\": \"../base\"");
    }

    void changeConfig(const QByteArray& from, const QByteArray& to)
    {
        const fs::path file = path("adapters") / "adapter_config.json";
        QByteArray text = QByteArray::fromStdString(readFile(file).value());
        QVERIFY(text.contains(from));
        text.replace(text.indexOf(from), from.size(), to);
        QVERIFY(writeFileAtomically(file, text.toStdString()).ok());
    }

    fs::path path(const char* name) const { return fs::path(m_folder->path().toStdString()) / name; }

    Status save(AdaptedModel& adapted, std::int64_t step) const
    {
        TrainingPosition position;
        position.step = Step{step};
        position.spec.model = adapted.model->spec();
        position.spec.optimizer = adamOfPeft();
        return saveCheckpoint(path("checkpoints"),
                              TrainingState(adapted.model->parameters(), adapted.optimizer.get()), position,
                              {});
    }

    std::unique_ptr<QTemporaryDir> m_folder;
};

QTEST_APPLESS_MAIN(TestLowRankAdapters)
#include "tst_low_rank_adapters.moc"
