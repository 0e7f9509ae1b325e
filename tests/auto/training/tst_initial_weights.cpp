#include <algorithm>
#include <functional>
#include <limits>

#include <ATen/Parallel.h>

#include "engine/base/file.h"
#include "engine/checkpoint/format/checkpoint_folder.h"
#include "engine/checkpoint/format/checkpoint_reader.h"
#include "engine/checkpoint/hugging_face/hugging_face_export.h"
#include "engine/checkpoint/hugging_face/hugging_face_model.h"
#include "engine/checkpoint/tensor_views.h"
#include "engine/nn/language_model.h"
#include "tests/auto/training/train_as_threads.h"
#include "tests/auto/training/training_fixture.h"

#include <QTemporaryDir>
#include <QTest> // after LibTorch, which uses the name "slots"

using namespace trainyard;

namespace fs = std::filesystem;

namespace {

constexpr int kSourceSteps = 4;
constexpr int kSteps = 4;
constexpr double kNoStep = 1e-300; ///< a learning rate that moves no weight but a 0

/// Equal but for a 0 that became kNoStep.
bool isUnmoved(const at::Tensor& values, const at::Tensor& before)
{
    return at::allclose(values, before, 0, 2 * kNoStep);
}

struct Layout {
    const char* name;
    ParallelLayout parallel;
    int zeroStage = 0;
    bool offloads = false; ///< optimizer and parameters
};

const std::vector<Layout>& layouts()
{
    static const std::vector<Layout> all{
        {"data 4", {.data = 4}},
        {"data 4, ZeRO 2", {.data = 4}, 2},
        {"data 4, ZeRO 3", {.data = 4}, 3},
        {"data 2, ZeRO 3, offloaded", {.data = 2}, 3, true},
        {"tensor 2", {.tensor = 2}},
        {"context 2, tensor 2, ZeRO 1", {.tensor = 2, .context = 2}, 1},
        {"data 2, tensor 2, sequence, ZeRO 1", {.data = 2, .tensor = 2, .sequence = true}, 1},
        {"1f1b 4", {.pipeline = 4}},
        {"tensor 2, interleaved 2 x 2, data 2",
         {.data = 2,
          .tensor = 2,
          .pipeline = 2,
          .schedule = PipelineScheduleKind::Interleaved,
          .virtualStages = 2}},
    };
    return all;
}

/// Four layers, four heads; 97 words, which no number of ranks divides.
RunSpec specOf(const fs::path& dataset, const Layout& layout)
{
    RunSpec spec = tinySpec(dataset, 1, ComputeType::Float64);
    spec.model.layers = 4;
    spec.model.heads = 4;
    spec.model.intermediate = 66;
    spec.launch.steps = kSteps;
    spec.layout = layout.parallel;
    spec.layout.bucketSize = 64 * kKiB;
    spec.memory.zeroStage = layout.zeroStage;
    spec.memory.offloadOptimizer = layout.offloads;
    spec.memory.offloadParameters = layout.offloads;
    spec.batch = {8, 2, 4 / layout.parallel.data};
    spec.cluster.nodes.front().slotCount = spec.layout.worldSize();
    return spec;
}

RunSpec oneRank(const fs::path& dataset)
{
    return specOf(dataset, {"one rank", {}});
}

/// Where a run begins from, by name.
struct Source {
    const char* name;
    InitSpec init; ///< path below the test's folder
    std::function<void(RunSpec&)> change = [](RunSpec&) {};
};

const std::vector<Source>& sources()
{
    static const std::vector<Source> all{
        {"run", {.path = "source"}},
        {"earlier step, other optimizer",
         {.path = "source", .step = 2},
         [](RunSpec& spec) { spec.optimizer.kind = OptimizerKind::Lamb; }},
        {"run with optimizer", {.path = "source", .optimizer = true}},
        {"Hugging Face", {.path = "hf"}},
        {"Hugging Face, resized",
         {.path = "hf", .resize = true},
         [](RunSpec& spec) {
             spec.model.vocabulary = 103;
             spec.model.maxPositions = 40;
         }},
        {"Hugging Face, other heads of the task",
         {.path = "hf"},
         [](RunSpec& spec) { spec.model.nextSentence = false; }},
        {"Hugging Face decoder, stored transposed",
         {.path = "hf-gpt"},
         [](RunSpec& spec) { spec.model.setFamily(ModelFamily::Gpt); }},
    };
    return all;
}

/// Weights that a run cannot begin with.
struct Refusal {
    const char* name;
    const char* source; ///< path below the test's folder
    std::function<void(RunSpec&)> change;
    std::vector<const char*> said; ///< parts of the message and its hint
};

const std::vector<Refusal>& refusals()
{
    static const std::vector<Refusal> all{
        {"other width",
         "hf",
         [](RunSpec& spec) { spec.model.intermediate = 64; },
         {"model.intermediate: is 64, but the Hugging Face model ", " has 66; 12 tensors differ: ",
          "bert.encoder.layer.0.intermediate.dense.weight is [64, 32] here and [66, 32] there", "and 9 more",
          "set it to 66, or begin with other weights"}},
        {"fewer layers",
         "source",
         [](RunSpec& spec) { spec.model.layers = 3; },
         {"model.layers: is 3, but the checkpoint ", " has 4; ",
          "bert.encoder.layer.3.attention.output.dense.bias is [32] there and missing here"}},
        {"more positions",
         "hf",
         [](RunSpec& spec) { spec.model.maxPositions = 64; },
         {"model.max_positions: is 64, but the Hugging Face model ",
          "bert.embeddings.position_embeddings.weight is [64, 32] here and [32, 32] there",
          "set it to 32, or set init.resize to true"}},
        {"other heads",
         "hf",
         [](RunSpec& spec) { spec.model.heads = 2; },
         {"model.heads: is 2, but ", " has 4", "set it to 4"}},
        {"other family",
         "hf",
         [](RunSpec& spec) { spec.model.setFamily(ModelFamily::Gpt); },
         {"model.family: is gpt, but ", " has bert"}},
        {"no optimizer there",
         "hf",
         [](RunSpec& spec) { spec.init.optimizer = true; },
         {"init.optimizer: is true, but ", "holds weights alone"}},
        {"other optimizer",
         "source",
         [](RunSpec& spec) {
             spec.init.optimizer = true;
             spec.optimizer.kind = OptimizerKind::Lamb;
         },
         {"optimizer.kind: is lamb, but ", " has adamw"}},
        {"no such step",
         "source",
         [](RunSpec& spec) { spec.init.step = 3; },
         {"init.step: ", "no checkpoint of step 3", "available steps: 2, 4"}},
        {"step of a model",
         "hf",
         [](RunSpec& spec) { spec.init.step = 3; },
         {"init.step: ", "is a single model, without steps to choose from"}},
        {"no weights", "empty", [](RunSpec&) {}, {"init.path: there are no weights in "}},
        {"not finite",
         "not-finite",
         [](RunSpec&) {},
         {"init.path: ", "holds values that are not finite in bert.encoder.layer.1.output.dense.bias"}},
        {"damaged", "damaged", [](RunSpec&) {}, {"init.path: ", "is damaged"}},
    };
    return all;
}

at::Tensor storedTensor(CheckpointReader& reader, const std::string& name)
{
    const LogicalTensor* tensor = reader.manifest().find(name);
    if (!tensor)
        return {};
    at::Tensor values = at::empty(tensor->shape, scalarTypeOf(tensor->type));
    const Status read =
        reader.read(name, {static_cast<std::byte*>(values.mutable_data_ptr()), values.nbytes()});
    return read.ok() ? values : at::Tensor();
}

std::string textOf(const Status& status)
{
    return status.ok() ? std::string() : status.error().text();
}

} // namespace

/// Section init: fresh runs that begin with stored weights. Ranks are threads, dropout is on.
class TestInitialWeights : public QObject {
    Q_OBJECT

private slots:
    void initTestCase()
    {
        at::set_num_threads(1); // each rank is a thread
        QVERIFY(writeTinyDataset(dataset()).ok());
        RunSpec source = oneRank(dataset());
        source.seed = 7;
        source.checkpoint.everySteps = 2;
        source.checkpoint.keepLast = 10;
        source.launch.steps = kSourceSteps;
        QCOMPARE(train("source", source), std::string());
        writeHuggingFace("hf", source.model, [](LanguageModel&) {});
        source.model.setFamily(ModelFamily::Gpt);
        writeHuggingFace("hf-gpt", source.model, [](LanguageModel&) {});
    }
    void init() { fs::remove_all(path("run")); }

    // What one rank computes, computes every layout.
    void everyLayoutBeginsAlike_data()
    {
        QTest::addColumn<int>("source");
        QTest::addColumn<int>("layout");
        for (int source = 0; source < int(sources().size()); ++source) {
            for (int layout = 0; layout < int(layouts().size()); ++layout)
                QTest::addRow("%s -> %s", sources()[std::size_t(source)].name,
                              layouts()[std::size_t(layout)].name)
                    << source << layout;
        }
    }
    void everyLayoutBeginsAlike()
    {
        QFETCH(int, source);
        QFETCH(int, layout);
        const std::string alone = "alone-" + std::to_string(source);
        if (!fs::exists(path(alone)))
            QCOMPARE(train(alone, begunFrom(sources()[std::size_t(source)], {"one rank", {}})),
                     std::string());
        QCOMPARE(train("run", begunFrom(sources()[std::size_t(source)], layouts()[std::size_t(layout)])),
                 std::string());
        const double losses = largestDifference(stepsOf(path(alone)), stepsOf(path("run")));
        const double norms = largestNormDifference(stepsOf(path(alone)), stepsOf(path("run")));
        qInfo("largest relative difference of losses %.2e, of gradient norms %.2e", losses, norms);
        QVERIFY(losses < 1e-9 && norms < 1e-9);
    }

    void takesTheWeightsOfARun()
    {
        RunSpec spec = begunFrom(sources().front(), layouts()[5]);
        spec.optimizer.learningRate = kNoStep;
        spec.launch.steps = 1;
        QCOMPARE(train("run", spec), std::string());
        auto source = CheckpointReader::open(checkpoint("source", kSourceSteps)).value();
        auto begun = CheckpointReader::open(checkpoint("run", 1)).value();
        for (const LogicalTensor& tensor : source.manifest().tensors) {
            if (tensor.name.starts_with("model/"))
                QVERIFY2(isUnmoved(storedTensor(begun, tensor.name), storedTensor(source, tensor.name)),
                         tensor.name.c_str());
        }
    }

    // By the loader of import, and the generator of a run that begins with nothing.
    void keepsCommonRowsAndDrawsNewOnes()
    {
        RunSpec spec = begunFrom(sources()[4], layouts()[4]);
        spec.optimizer.learningRate = kNoStep;
        spec.launch.steps = 1;
        QCOMPARE(train("run", spec), std::string());
        const auto stored = HuggingFaceModel::open(path("hf")).value();
        LanguageModel loaded(stored.spec(), ComputeType::Float64);
        QVERIFY(stored.load(loaded.parameters()).ok());
        LanguageModel drawn(spec.model, ComputeType::Float64);
        drawn.parameters().initialize(spec.seed, spec.model.initializerRange);
        auto begun = CheckpointReader::open(checkpoint("run", 1)).value();
        for (const Parameter& parameter : drawn.parameters().parameters()) {
            const at::Tensor values = storedTensor(begun, "model/" + parameter.spec.name);
            const at::Tensor& common = loaded.parameters().parameter(parameter.spec.name).master;
            const std::int64_t rows = common.size(0);
            const at::Tensor drawnRows = parameter.master.narrow(0, rows, values.size(0) - rows);
            QVERIFY2(isUnmoved(values.narrow(0, 0, rows), common), parameter.spec.name.c_str());
            QVERIFY2(isUnmoved(values.narrow(0, rows, drawnRows.size(0)), drawnRows),
                     parameter.spec.name.c_str());
        }
    }

    // The bias correction counts the updates of the loaded state, also after a resume.
    void continuesTheOptimizer()
    {
        const RunSpec spec = begunFrom(sources()[2], layouts()[1]);
        QCOMPARE(train("whole", spec), std::string());
        QCOMPARE(train("run", spec, {1, 2}), std::string());
        const auto saved = CheckpointManifest::load(checkpoint("run", 2) / kManifestName).value();
        QCOMPARE(saved.position.earlierUpdates, std::int64_t(kSourceSteps));
        QCOMPARE(saved.position.updates(), std::int64_t(kSourceSteps + 2));
        QCOMPARE(train("run", spec, {2, 0}), std::string());
        QVERIFY(largestDifference(stepsOf(path("whole")), stepsOf(path("run"))) < 1e-12);
    }

    void saysWhatWasLoadedDrawnAndLeft()
    {
        RunSpec spec = begunFrom(sources()[4], layouts()[0]);
        spec.launch.steps = 1;
        QCOMPARE(train("run", spec), std::string());
        const auto events = eventsOf(path("run"));
        const auto said = std::ranges::find(events, std::string("weights-loaded"), &EventRecord::kind);
        QVERIFY(said != events.end());
        QVERIFY2(said->message.starts_with("begins with the Hugging Face model " + path("hf").string()),
                 said->message.c_str());
        for (const char* part :
             {"; loaded: ", "; drawn at random: ", "rows 97 to 102 of bert.embeddings.word_embeddings.weight",
              "rows 32 to 39 of bert.embeddings.position_embeddings.weight"})
            QVERIFY2(said->message.find(part) != std::string::npos, said->message.c_str());
    }

    // By a launch from a machine that has them to hosts that do not.
    void beginsWithWeightsThatWereSent()
    {
        RunSpec spec = begunFrom(sources()[3], layouts()[0]);
        QCOMPARE(train("run", spec), std::string());
        const auto expected = stepsOf(path("run"));
        fs::remove_all(path("run"));
        fs::create_directories(path("run"));
        fs::copy(path("hf"), path("run") / "weights");
        spec.init.path = "/away/hf";
        QCOMPARE(train("run", spec), std::string());
        QCOMPARE(largestDifference(expected, stepsOf(path("run"))), 0.0);
    }

    void resumesWithoutTheSource()
    {
        const RunSpec spec = begunFrom(sources().front(), layouts()[0]);
        copySource("moved");
        RunSpec moved = spec;
        moved.init.path = path("moved");
        QCOMPARE(train("run", moved, {1, 2}), std::string());
        fs::remove_all(path("moved"));
        QCOMPARE(train("run", moved, {2, 0}), std::string());
        QCOMPARE(stepsOf(path("run")).size(), std::size_t(kSteps));
    }

    // A run that is killed before its first checkpoint, while the source goes on.
    void beginsAgainWithTheSameWeights()
    {
        copySource("growing");
        RunSpec spec = begunFrom(sources().front(), layouts()[0]);
        spec.init.path = path("growing");
        QCOMPARE(train("run", spec), std::string());
        const auto first = stepsOf(path("run"));
        RunSpec source = oneRank(dataset());
        source.seed = 7;
        source.launch.steps = kSourceSteps + 2;
        source.checkpoint.keepLast = 10;
        QCOMPARE(train("growing", source, {2, 0}), std::string());
        fs::remove_all(path("run") / "checkpoints");
        QCOMPARE(train("run", spec, {2, 0}), std::string());
        QVERIFY(largestDifference(first, stepsOf(path("run"))) < 1e-12);

        fs::remove_all(path("run") / "checkpoints");
        fs::remove_all(checkpoint("growing", kSourceSteps));
        fs::copy(checkpoint("growing", kSourceSteps + 2), checkpoint("growing", kSourceSteps),
                 fs::copy_options::recursive);
        const std::string changed = train("run", spec, {3, 0});
        QVERIFY2(changed.find("has changed since the run began with it") != std::string::npos,
                 changed.c_str());
        fs::remove_all(checkpoint("growing", kSourceSteps));
        const std::string missing = train("run", spec, {4, 0});
        QVERIFY2(missing.find("which is missing now") != std::string::npos, missing.c_str());
    }

    void refusesWhatDoesNotFit_data()
    {
        QTest::addColumn<int>("refusal");
        for (std::size_t i = 0; i < refusals().size(); ++i)
            QTest::addRow("%s", refusals()[i].name) << int(i);
    }
    void refusesWhatDoesNotFit()
    {
        QFETCH(int, refusal);
        const Refusal& refused = refusals()[std::size_t(refusal)];
        makeOddSources();
        RunSpec spec = specOf(dataset(), {"data 2", {.data = 2}});
        spec.init.path = path(refused.source);
        refused.change(spec);
        const std::string text = train("run", spec);
        qInfo("%s", text.c_str()); // to be read by whoever changes a message
        for (const char* part : refused.said)
            QVERIFY2(text.find(part) != std::string::npos, text.c_str());
        QVERIFY(!fs::exists(path("run") / "init.json"));
    }

private:
    fs::path path(const std::string& name) const { return fs::path(m_folder.path().toStdString()) / name; }
    fs::path dataset() const { return path("dataset"); }
    fs::path checkpoint(const std::string& run, int step) const
    {
        return path(run) / "checkpoints" / checkpointFolderName(Step{step});
    }
    RunSpec begunFrom(const Source& source, const Layout& layout) const
    {
        RunSpec spec = specOf(dataset(), layout);
        spec.init = source.init;
        spec.init.path = path(source.init.path);
        source.change(spec);
        return spec;
    }
    std::string train(const std::string& run, const RunSpec& spec, TrainOptions options = {})
    {
        return textOf(trainAsThreads(path(run), spec, options));
    }
    void copySource(const std::string& name)
    {
        fs::remove_all(path(name));
        fs::copy(path("source"), path(name), fs::copy_options::recursive);
    }
    void writeHuggingFace(const std::string& name, const ModelSpec& spec,
                          const std::function<void(LanguageModel&)>& change)
    {
        LanguageModel model(spec, ComputeType::Float32);
        model.parameters().initialize(99, 0.05);
        change(model);
        QCOMPARE(textOf(writeHuggingFaceFolder(path(name), spec, model.parameters())), std::string());
    }
    void makeOddSources()
    {
        if (fs::exists(path("damaged")))
            return;
        fs::create_directory(path("empty"));
        writeHuggingFace("not-finite", oneRank(dataset()).model, [](LanguageModel& model) {
            model.parameters()
                .parameter("bert.encoder.layer.1.output.dense.bias")
                .master.narrow(0, 3, 1)
                .fill_(std::numeric_limits<double>::infinity());
        });
        copySource("damaged");
        const fs::path shard = checkpoint("damaged", kSourceSteps) / "shard-0000-of-0001.safetensors";
        std::string bytes = readFile(shard).value();
        char& inWeights = bytes[bytes.size() / 4]; // the states of the optimizer follow them
        inWeights = static_cast<char>(inWeights ^ 1);
        QVERIFY(writeFileAtomically(shard, bytes).ok());
    }

    QTemporaryDir m_folder;
};

QTEST_APPLESS_MAIN(TestInitialWeights)
#include "tst_initial_weights.moc"
