#include <QDir>
#include <QTest>

#include <cmath>
#include <map>

#include "engine/records/journal.h"
#include "tests/integration/systems_lab.h"
#include "tests/support/patience.h"

using namespace trainyard;
using std::chrono::milliseconds;

namespace {

constexpr double kSame = 1e-9; ///< relative, of sums in another order in float64
constexpr int kShortRun = 20;
constexpr int kLongRun = 1500;
constexpr int kCheckpointEvery = 25;

} // namespace

/// What is computed on two hosts of different systems, with neither MPI nor a shared folder, is what one rank
/// computes, and a host that is lost takes nothing with it.
class TestSystemsTraining : public QObject {
    Q_OBJECT

private slots:
    void initTestCase()
    {
        const QList<lab::HostSystem> systems{systemOf("bullseye"), systemOf("busybox")};
        if (const QString why = SystemsLab::make(systems); !why.isEmpty())
            QSKIP(qPrintable(why));
        m_systems.prepare();
        m_systems.start(systems);
        m_pool = std::make_unique<TargetPool>(m_systems.netns().targetOptions());
        m_service = std::make_unique<RunService>(*m_pool);
        m_whole = train(spec(1, kShortRun));
    }
    void cleanupTestCase()
    {
        m_service.reset();
        m_pool.reset();
    }

    void computesWhatOneRankDoes_data()
    {
        QTest::addColumn<ParallelLayout>("layout");
        QTest::addColumn<int>("zeroStage");
        QTest::addRow("ZeRO 2") << ParallelLayout{.data = 2} << 2;
        QTest::addRow("tensor 2") << ParallelLayout{.tensor = 2} << 0;
        QTest::addRow("pipeline 2") << ParallelLayout{.pipeline = 2} << 0;
    }
    void computesWhatOneRankDoes()
    {
        QFETCH(ParallelLayout, layout);
        QFETCH(int, zeroStage);
        RunSpec split = spec(2, kShortRun);
        split.layout = layout;
        split.batch.accumulation = 2 / layout.data;
        split.memory.zeroStage = zeroStage;
        compare(train(split), m_whole);
    }

    /// The last test: the second host does not come back.
    void aLostHostTakesNothingWithIt()
    {
        const Curve whole = train(spec(1, kLongRun));
        RunSpec split = spec(2, kLongRun);
        split.layout.data = 2;
        split.batch.accumulation = 1;
        split.memory.zeroStage = 2;
        split.checkpoint.everySteps = kCheckpointEvery;
        split.launch.restart = {.limit = 8, .backoff = milliseconds(300), .elastic = true};
        const QString run = SystemsLab::await(m_service->launch(split));
        QVERIFY(!run.isEmpty());
        AWAIT(!QDir(m_systems.onHead(run, "checkpoints")).entryList({"step-*"}).isEmpty());
        m_systems.host(1).powerOff();
        QVERIFY2(m_systems.stepsOf(run).size() < kLongRun, "the run was over before its host was lost");
        AWAIT(lastState(run) == RunState::Finished);

        const Curve curve = curveOf(run);
        compare(curve, whole);
        QCOMPARE(timesOf(run, 1), 1); // it began at a checkpoint, not anew
    }

private:
    using Curve = std::map<std::int64_t, std::pair<double, double>>; ///< loss and gradient norm of each step

    RunSpec spec(int hosts, int steps) const
    {
        RunSpec spec = m_systems.spec(hosts, steps);
        spec.precision.compute = ComputeType::Float64;
        return spec;
    }

    /// On success: the curve of the whole run, which is removed.
    Curve train(const RunSpec& spec)
    {
        const QString run = SystemsLab::await(m_service->launch(spec));
        [&] { AWAIT(run.isEmpty() || lastState(run) == RunState::Finished); }();
        const Curve curve = curveOf(run);
        if (curve.size() != static_cast<std::size_t>(spec.launch.steps))
            QTest::qFail("the run did not make all its steps", __FILE__, __LINE__);
        return curve;
    }

    /// What a later attempt computed again counts.
    Curve curveOf(const QString& run) const
    {
        Curve curve;
        for (const StepRecord& step : m_systems.stepsOf(run))
            curve[step.step] = {step.loss, step.gradientNorm};
        return curve;
    }

    qsizetype timesOf(const QString& run, std::int64_t number) const
    {
        const auto steps = m_systems.stepsOf(run);
        return std::ranges::count(steps, number, &StepRecord::step);
    }

    static void compare(const Curve& curve, const Curve& whole)
    {
        QCOMPARE(curve.size(), whole.size());
        for (const auto& [step, values] : whole) {
            const auto& [loss, norm] = curve.at(step);
            QVERIFY2(std::abs(loss / values.first - 1) < kSame, qPrintable(QString::number(step)));
            QVERIFY2(std::abs(norm / values.second - 1) < kSame, qPrintable(QString::number(step)));
        }
    }

    RunState lastState(const QString& run) const
    {
        RunState last = RunState::Pending;
        const auto journal = readJournal(m_systems.onHead(run, "journal/run").toStdString());
        for (const Record& record : journal.ok() ? journal->records : std::vector<Record>{}) {
            if (const auto* state = std::get_if<StateRecord>(&record.payload))
                last = state->state;
        }
        return last;
    }

    SystemsLab m_systems;
    std::unique_ptr<TargetPool> m_pool;
    std::unique_ptr<RunService> m_service;
    Curve m_whole;
};

QTEST_GUILESS_MAIN(TestSystemsTraining)
#include "tst_systems_training.moc"
