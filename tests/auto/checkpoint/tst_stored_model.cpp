#include <QTemporaryDir>
#include <QTest>

#include <filesystem>
#include <fstream>

#include "engine/checkpoint/format/checkpoint_folder.h"
#include "engine/checkpoint/hugging_face/hugging_face_export.h"
#include "engine/checkpoint/hugging_face/stored_model.h"
#include "engine/checkpoint/training_state.h"
#include "engine/nn/language_model.h"

using namespace trainyard;
namespace fs = std::filesystem;

namespace {

ModelSpec storedSpec()
{
    ModelSpec model;
    model.setFamily(ModelFamily::Gpt);
    model.layers = 1;
    model.hidden = 8;
    model.heads = 2;
    model.intermediate = 16;
    model.vocabulary = 20;
    model.maxPositions = 8;
    return model;
}

} // namespace

class TestStoredModel : public QObject {
    Q_OBJECT

private slots:
    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        for (const std::int64_t step : {1, 2, 3})
            save(step);
    }

    void findsTheCheckpointThatIsMeant_data()
    {
        QTest::addColumn<QString>("path");
        QTest::addColumn<int>("step"); // 0: not named
        QTest::addColumn<int>("expected");
        QTest::addRow("the run's newest one") << "run" << 0 << 3;
        QTest::addRow("the folder's newest one") << "run/checkpoints" << 0 << 3;
        QTest::addRow("a step of the run") << "run" << 2 << 2;
        QTest::addRow("itself") << "run/checkpoints/step-000000001" << 0 << 1;
    }
    void findsTheCheckpointThatIsMeant()
    {
        QFETCH(QString, path);
        QFETCH(int, step);
        QFETCH(int, expected);
        CheckpointWish wish;
        if (step > 0)
            wish.step = Step{step};
        const auto stored = StoredModel::open(folder() / path.toStdString(), wish);
        QVERIFY2(stored.ok(), stored.ok() ? "" : stored.error().text().c_str());
        QCOMPARE(stored->folder().filename().string(), checkpointFolderName(Step{expected}));
        QCOMPARE(stored->dataSet(), std::string("/data/set"));
    }

    void findsTheBestOne()
    {
        QVERIFY(problemOf("run", {.best = true}).contains("no checkpoint is marked as the best"));
        QVERIFY(markAsBest(folder() / "run/checkpoints", checkpointFolderName(Step{2})).ok());
        const auto stored = StoredModel::open(folder() / "run", {.best = true});
        QVERIFY2(stored.ok(), stored.ok() ? "" : stored.error().text().c_str());
        QCOMPARE(stored->folder().filename().string(), checkpointFolderName(Step{2}));
    }

    void knowsTheDataSetOfItsPhase()
    {
        for (const std::int64_t step : {4, 5})
            save(step, {phaseOn("/short/rows"), phaseOn("/long/rows")});
        QCOMPARE(StoredModel::open(folder() / "run", {.step = Step{4}}).value().dataSet(),
                 std::string("/short/rows"));
        QCOMPARE(StoredModel::open(folder() / "run", {.step = Step{5}}).value().dataSet(),
                 std::string("/long/rows"));
    }

    void saysWhatThereIsNot()
    {
        QVERIFY(problemOf("nowhere").contains("there is no run, checkpoint or folder"));
        QVERIFY(problemOf("ru").endsWith(QString("did you mean %1?").arg((folder() / "run").c_str())));
        std::ofstream(folder() / "file.txt") << "text";
        QVERIFY(problemOf("file.txt").contains("is not a folder"));
        QVERIFY(problemOf("run", {.step = Step{9}})
                    .contains("has no checkpoint of step 9 — available steps: 1, 2, 3"));
        QVERIFY(problemOf("run/checkpoints/step-000000001", {.step = Step{1}})
                    .contains("without steps to choose from"));
        fs::create_directories(folder() / "empty");
        QVERIFY(problemOf("empty").contains("there are no weights in"));
    }

    void loadsTheWeightsOfAllForms()
    {
        auto stored = StoredModel::open(folder() / "run", {.step = Step{2}}).value();
        const auto model = stored.load(ComputeType::Float32).value();
        QVERIFY(model->parameters().flatMasters().equal(modelOfStep(2)->parameters().flatMasters()));
        QVERIFY(writeHuggingFaceFolder(folder() / "hf", storedSpec(), model->parameters()).ok());
        auto exported = StoredModel::open(folder() / "hf").value();
        QVERIFY(exported.dataSet().empty());
        const auto again = exported.load(ComputeType::Float32).value();
        QVERIFY(again->parameters().flatMasters().equal(model->parameters().flatMasters()));
        QVERIFY(problemOf("hf", {.best = true}).contains("without steps to choose from"));
    }

private:
    fs::path folder() const { return m_folder->path().toStdString(); }

    static std::unique_ptr<LanguageModel> modelOfStep(std::int64_t step)
    {
        auto model = std::make_unique<LanguageModel>(storedSpec(), ComputeType::Float32);
        model->parameters().initialize(std::uint64_t(step), 0.02);
        return model;
    }

    static PhaseSpec phaseOn(const char* dataSet)
    {
        PhaseSpec phase;
        phase.steps = 4;
        phase.dataset.path = dataSet;
        phase.named = {"dataset.path"};
        return phase;
    }

    void save(std::int64_t step, const std::vector<PhaseSpec>& phases = {}) const
    {
        const auto model = modelOfStep(step);
        TrainingPosition position;
        position.step = Step{step};
        position.spec.model = storedSpec();
        position.spec.dataset.path = "/data/set";
        position.spec.phases = phases;
        QVERIFY(saveCheckpoint(folder() / "run/checkpoints", TrainingState(model->parameters()), position, {})
                    .ok());
    }

    QString problemOf(const char* path, const CheckpointWish& wish = {}) const
    {
        const auto stored = StoredModel::open(folder() / path, wish);
        return stored.ok() ? QString() : QString::fromStdString(stored.error().text());
    }

    std::unique_ptr<QTemporaryDir> m_folder;
};

QTEST_APPLESS_MAIN(TestStoredModel)
#include "tst_stored_model.moc"
