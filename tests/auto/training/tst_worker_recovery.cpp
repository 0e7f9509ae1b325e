// What real ranks make of a folder of checkpoints in a random state. The states and the step that is expected
// of each come from tests/support/checkpoint; that every state is right is for tst_checkpoint_states.
#include <QTemporaryDir>
#include <QTest>

#include <fstream>
#include <random>

#include "engine/base/file.h"
#include "engine/checkpoint/format/checkpoint_folder.h"
#include "tests/auto/training/training_fixture.h"
#include "tests/auto/training/worker_process.h"
#include "tests/support/checkpoint/folder_state.h"

using namespace trainyard;

namespace fs = std::filesystem;

namespace {

constexpr int kStates = 30;
constexpr int kLastStep = 7;
constexpr std::array<std::int64_t, 3> kSteps{2, 4, 6};
constexpr double kLossTolerance = 1e-9; // float64; sums may be added up in another order

unsigned seed()
{
    bool given = false;
    const unsigned chosen = qEnvironmentVariable("TRAINYARD_SEED").toUInt(&given);
    return given ? chosen : std::random_device()();
}

class StateDrawer {
public:
    explicit StateDrawer(unsigned seed) : m_random(seed) {}

    FolderState next()
    {
        FolderState state;
        state.steps = kSteps;
        for (Harm& harm : state.harms)
            harm = kHarms[m_random() % (kHarms.size() - 1)]; // root reads everything
        if (m_random() % 2 == 0)
            state.harms[m_random() % 3] = Harm::None; // or most starts would be refused
        do
            state.latest = kLatest[m_random() % kLatest.size()];
        while (state.latest == Latest::Behind); // the folder is made once for all
        state.leftovers = m_random() % 2 == 0;
        return state;
    }
    int ranks() { return m_random() % 4 == 0 ? 1 : 2; }

private:
    std::mt19937 m_random;
};

std::int64_t firstStepOf(const std::string& log)
{
    const std::string told = "training from step ";
    const std::size_t at = log.rfind(told);
    return at == std::string::npos ? 0 : std::stoll(log.substr(at + told.size()));
}

} // namespace

class TestWorkerRecovery : public QObject {
    Q_OBJECT

private slots:
    void initTestCase()
    {
        QVERIFY(m_root.isValid());
        QVERIFY(writeTinyDataset(root() / "data").ok());
        QVERIFY(makeRunDirectory(root() / "template", specFor(2)).ok());
        QCOMPARE(runWorkers({{{2, root() / "template"}}, 1, kLastStep}), 0);
        m_undisturbed = stepsOf(root() / "template");
        QCOMPARE(m_undisturbed.size(), std::size_t(kLastStep));
        fs::remove_all(checkpointOf(root() / "template" / "checkpoints", kLastStep));
        std::ofstream(root() / "template" / "checkpoints" / "latest") << "step-000000006\n";
        std::ofstream(root() / "template" / "checkpoints" / "line.json")
            << R"({"trainyard_line":1,"latest":"step-000000006","lines":[{"line":1,"parent":0,"from":0}]})";
    }

    void startsFromTheNewestCompleteCheckpoint()
    {
        const unsigned chosen = seed();
        qInfo("seed %u (TRAINYARD_SEED repeats it)", chosen);
        StateDrawer drawer(chosen);
        int refused = 0;
        for (int number = 0; number < kStates; ++number) {
            const FolderState state = drawer.next();
            refused += state.startingStep() ? 0 : 1;
            const std::string problem = problemOf(state, drawer.ranks());
            QVERIFY2(problem.empty(), (state.text() + ": " + problem).c_str());
        }
        qInfo("%d states, %d of them without a complete checkpoint", kStates, refused);
    }

private:
    fs::path root() const { return m_root.path().toStdString(); }

    /// Each rank reads a part of the optimizer's state that the other does not.
    RunSpec specFor(int ranks) const
    {
        RunSpec spec = tinySpec(root() / "data", ranks, ComputeType::Float64);
        spec.memory.zeroStage = 1;
        spec.checkpoint.everySteps = 2;
        spec.checkpoint.keepLast = 10; // all of them
        return spec;
    }

    std::string problemOf(const FolderState& state, int ranks) const
    {
        const fs::path run = root() / "run";
        fs::remove_all(run);
        if (!makeRunDirectory(run, specFor(ranks)).ok())
            return "the run cannot be made";
        fs::copy(root() / "template" / "checkpoints", run / "checkpoints", fs::copy_options::recursive);
        for (std::size_t i = 0; i < kSteps.size(); ++i)
            doHarm(checkpointOf(run / "checkpoints", kSteps[i]), state.harms[i]);
        writeLatest(run / "checkpoints", state);
        if (state.leftovers)
            fs::create_directory(run / "checkpoints" / ".step-000000008.partial");
        const int status = runWorkers({{{ranks, run}}, 1, kLastStep});
        return problemAfter(state, run, status);
    }

    std::string problemAfter(const FolderState& state, const fs::path& run, int status) const
    {
        const auto expected = state.startingStep();
        if (!expected)
            return status == 3 ? std::string() : "status " + std::to_string(status) + ", not 3: refused";
        if (status != 0)
            return "status " + std::to_string(status);
        if (const std::int64_t first = firstStepOf(*readFile(run / "ranks" / "0000.log"));
            first != *expected + 1)
            return "began at step " + std::to_string(first);
        for (const StepRecord& step : stepsOf(run)) {
            const double before = m_undisturbed[std::size_t(step.step - 1)].loss;
            if (std::abs(step.loss - before) > kLossTolerance * before)
                return "another loss at step " + std::to_string(step.step);
        }
        return readFile(run / "checkpoints" / "latest").value() == "step-000000007\n"
                   ? std::string()
                   : "`latest` does not name the last checkpoint";
    }

    QTemporaryDir m_root;
    std::vector<StepRecord> m_undisturbed;
};

QTEST_GUILESS_MAIN(TestWorkerRecovery)
#include "tst_worker_recovery.moc"
