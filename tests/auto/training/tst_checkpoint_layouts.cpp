#include <ATen/Parallel.h>

#include <QTemporaryDir>
#include <QTest>

#include "engine/checkpoint/format/checkpoint_folder.h"
#include "tests/auto/training/checkpoint_content.h"
#include "tests/auto/training/train_as_threads.h"
#include "tests/auto/training/training_fixture.h"

using namespace trainyard;

namespace {

namespace fs = std::filesystem;

constexpr int kSavedStep = 4;
constexpr int kSteps = 8;

struct Layout {
    const char* name;
    ParallelLayout parallel;
    int zeroStage = 0;
    bool offloads = false; ///< optimizer and parameters
};

const std::vector<Layout>& layouts()
{
    static const std::vector<Layout> all{
        {"one rank", {}},
        {"data 4", {.data = 4}},
        {"data 4, ZeRO 3", {.data = 4}, 3},
        {"data 4 shard 2, ZeRO 2", {.data = 4, .shard = 2}, 2},
        {"data 2, ZeRO 3, offloaded", {.data = 2}, 3, true},
        {"tensor 2", {.tensor = 2}},
        {"context 2, tensor 2, ZeRO 1", {.tensor = 2, .context = 2}, 1},
        {"data 2, tensor 2, sequence, ZeRO 1", {.data = 2, .tensor = 2, .sequence = true}, 1},
        {"1f1b 4", {.pipeline = 4}},
        {"tensor 2, interleaved 2 x 2, data 2, ZeRO 3",
         {.data = 2,
          .tensor = 2,
          .pipeline = 2,
          .schedule = PipelineScheduleKind::Interleaved,
          .virtualStages = 2},
         3},
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

/// Of a mixture whose experts ranks share: each goes on from the one before, the first from the last.
const std::vector<Layout>& layoutsWithExperts()
{
    static const std::vector<Layout> all{
        {"one rank", {}},
        {"data 4, expert 2", {.data = 4, .expert = 2}},
        {"data 4, expert 4, ZeRO 3", {.data = 4, .expert = 4}, 3},
        {"data 2, expert 2, tensor 2, ZeRO 1", {.data = 2, .tensor = 2, .expert = 2}, 1},
        {"data 4 shard 2, expert 2 outer, ZeRO 2",
         {.data = 4, .expert = 2, .expertPlacement = ExpertPlacement::Outer, .shard = 2},
         2},
    };
    return all;
}

RunSpec mixtureOf(const fs::path& dataset, const Layout& layout)
{
    RunSpec spec = specOf(dataset, layout);
    spec.model.setFamily(ModelFamily::Mixtral);
    spec.model.experts = {.count = 4, .perToken = 2, .width = 18, .balanceLoss = 0.05};
    return spec;
}

/// As the run's events tell.
std::vector<std::int64_t> publishedSteps(const fs::path& run)
{
    std::vector<std::int64_t> steps;
    for (const EventRecord& event : eventsOf(run)) {
        if (event.kind == "checkpoint-published")
            steps.push_back(event.step);
    }
    return steps;
}

} // namespace

/// Checkpoints of real runs on ranks as threads, dropout on.
class TestCheckpointLayouts : public QObject {
    Q_OBJECT

private slots:
    void initTestCase()
    {
        at::set_num_threads(1); // each rank is a thread
        QVERIFY(writeTinyDataset(dataset()).ok());
        train("whole", specOf(dataset(), layouts().front()), {1, kSteps});
        for (std::size_t i = 0; i < layouts().size(); ++i)
            train(savedBy(i), specOf(dataset(), layouts()[i]), {1, kSavedStep});
    }

    void anyLayoutGoesOnFromAnyOther_data()
    {
        QTest::addColumn<int>("saved");
        QTest::addColumn<int>("loaded");
        for (int saved = 0; saved < int(layouts().size()); ++saved) {
            for (int loaded = 0; loaded < int(layouts().size()); ++loaded)
                QTest::addRow("%s -> %s", layouts()[std::size_t(saved)].name,
                              layouts()[std::size_t(loaded)].name)
                    << saved << loaded;
        }
    }
    void anyLayoutGoesOnFromAnyOther()
    {
        QFETCH(int, saved);
        QFETCH(int, loaded);
        const fs::path run = path("run");
        fs::remove_all(run);
        fs::copy(path(savedBy(std::size_t(saved))), run, fs::copy_options::recursive);
        train("run", specOf(dataset(), layouts()[std::size_t(loaded)]), {2, kSteps});
        const double losses = largestDifference(stepsOf(path("whole")), stepsOf(run));
        const double norms = largestNormDifference(stepsOf(path("whole")), stepsOf(run));
        QVERIFY2(
            losses < 1e-9 && norms < 1e-9,
            qPrintable(QStringLiteral("losses differ by %1, gradient norms by %2").arg(losses).arg(norms)));
    }

    void expertsMoveToOtherRanks_data()
    {
        QTest::addColumn<int>("loaded");
        for (std::size_t i = 1; i <= layoutsWithExperts().size(); ++i)
            QTest::addRow("%s", layoutsWithExperts()[i % layoutsWithExperts().size()].name)
                << int(i % layoutsWithExperts().size());
        train("mixture", mixtureOf(dataset(), layoutsWithExperts().front()), {1, kSteps});
    }
    void expertsMoveToOtherRanks()
    {
        QFETCH(int, loaded);
        const auto& all = layoutsWithExperts();
        const Layout& before = all[(std::size_t(loaded) + all.size() - 1) % all.size()];
        fs::remove_all(path("moved"));
        train("moved", mixtureOf(dataset(), before), {1, kSavedStep});
        train("moved", mixtureOf(dataset(), all[std::size_t(loaded)]), {2, kSteps});
        QVERIFY(largestDifference(stepsOf(path("mixture")), stepsOf(path("moved"))) < 1e-9);
        QVERIFY(largestNormDifference(stepsOf(path("mixture")), stepsOf(path("moved"))) < 1e-9);
    }

    void holdsTheStateOfItsStepThoughTrainingWentOnMeanwhile_data()
    {
        QTest::addColumn<int>("layout");
        for (const int layout : {1, 4})
            QTest::addRow("%s", layouts()[std::size_t(layout)].name) << layout;
    }
    void holdsTheStateOfItsStepThoughTrainingWentOnMeanwhile()
    {
        QFETCH(int, layout);
        RunSpec spec = specOf(dataset(), layouts()[std::size_t(layout)]);
        for (const char* run : {"asynchronous", "waiting"})
            fs::remove_all(path(run));
        spec.checkpoint.everySteps = 2;
        spec.checkpoint.keepLast = 10;
        train("asynchronous", spec, {1, kSteps});
        spec.checkpoint.asynchronous = false;
        train("waiting", spec, {1, kSteps});
        for (int step = 2; step <= kSteps; step += 2) {
            const fs::path name = fs::path("checkpoints") / checkpointFolderName(Step{step});
            const auto asynchronous = contentOf(path("asynchronous") / name);
            const auto waiting = contentOf(path("waiting") / name);
            QVERIFY2(asynchronous.ok(), asynchronous.ok() ? "" : asynchronous.error().text().c_str());
            QVERIFY(waiting.ok());
            QVERIFY2(*asynchronous == *waiting, qPrintable(QString("step %1").arg(step)));
        }
        QCOMPARE(publishedSteps(path("asynchronous")), (std::vector<std::int64_t>{2, 4, 6, 8}));
    }

private:
    fs::path path(const std::string& name) const { return fs::path(m_folder.path().toStdString()) / name; }
    fs::path dataset() const { return path("dataset"); }
    static std::string savedBy(std::size_t layout) { return "saved-" + std::to_string(layout); }
    void train(const std::string& run, const RunSpec& spec, TrainOptions options)
    {
        const Status status = trainAsThreads(path(run), spec, options);
        QVERIFY2(status.ok(), status.ok() ? "" : status.error().text().c_str());
    }

    QTemporaryDir m_folder;
};

QTEST_APPLESS_MAIN(TestCheckpointLayouts)
#include "tst_checkpoint_layouts.moc"
