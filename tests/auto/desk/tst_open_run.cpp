#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include "app/runs/open_run.h"
#include "app/runs/run_hosts.h"
#include "app/runs/run_store.h"
#include "remote/launch/run_service.h"
#include "tests/support/patience.h"
#include "tests/support/sample_run/sample_run.h"

using namespace trainyard;

namespace {

constexpr std::int64_t kStepNs = 1'000'000'000;

/// A run of 2000 steps that is at step 1000, each step taking about 0.42 s.
support::SampleRun halfWay()
{
    support::SampleRun run;
    run.steps = 2000;
    run.reached = 1000;
    run.state = RunState::Running;
    return run;
}

class RecordingHosts : public RunHosts {
public:
    void follow(OpenRun& run) override { followed.append(run.id()); }
    void stop(const QString&, bool, RunReply) override {}
    void resume(const QString&, const ResumeChanges&, RunReply) override {}
    void checkpoint(const QString&, RunReply) override {}
    void listCheckpoints(const QString&, std::chrono::milliseconds, const QObject*,
                         std::function<void(const Result<QList<RunCheckpoint>>&)>) override
    {
    }
    std::function<void()> exportModel(const QString&, const ModelExportRequest&, RunReply) override
    {
        return {};
    }
    void removeFromHosts(const QString&, RunReply) override {}
    void readLog(const QString&, int, qint64, qint64, const QObject*,
                 std::function<void(const Result<LogPiece>&)>) override
    {
    }
    void readRing(const QString&, int, const QObject*,
                  std::function<void(const Result<FlightSnapshot>&)>) override
    {
    }
    QStringList followed;
};

} // namespace

class TestOpenRun : public QObject {
    Q_OBJECT

private slots:
    void init() { m_folder = std::make_unique<QTemporaryDir>(); }

    void tellsHowFarAndHowLong()
    {
        const auto run = open(halfWay());
        QCOMPARE(run->progress(), 0.5);
        // 1000 steps of 0.42 s and a little noise
        QVERIFY2(run->secondsLeft() > 420 && run->secondsLeft() < 450,
                 qPrintable(QString::number(run->secondsLeft())));
    }

    void aFinishedRunHasNoTimeLeft()
    {
        QVERIFY(open({})->secondsLeft() < 0);
        QCOMPARE(open({})->progress(), 1.0);
    }

    void aSilentRunIsStalledOnlyWhileTheLinkIsLive()
    {
        const auto run = open(halfWay());
        const qint64 last = run->series().newestNs() / 1'000'000;
        run->setLink(RunLink::Live);
        QCOMPARE(run->displayState(last + 5'000), RunDisplayState::Running);
        QCOMPARE(run->displayState(last + 120'000), RunDisplayState::Stalled);
        run->setLink(RunLink::CatchingUp);
        QCOMPARE(run->displayState(last + 120'000), RunDisplayState::Running);
        run->setLink(RunLink::Lost);
        QCOMPARE(run->displayState(last + 120'000), RunDisplayState::LinkLost);
    }

    void stepsThatStopAreAStallThoughTheSupervisorLives()
    {
        const auto run = open(halfWay());
        run->setLink(RunLink::Live);
        const std::int64_t later = run->series().newestNs() + 600 * kStepNs;
        run->apply("run", {{1, 90'000, {0, later}, StateRecord{RunState::Running, "", 1000, 2000, true}}});
        QCOMPARE(run->displayState(later / 1'000'000), RunDisplayState::Stalled);
    }

    void knowsHowOldTheNewestRecordIs()
    {
        const auto run = open(halfWay());
        const qint64 last = run->series().newestNs() / 1'000'000;
        QCOMPARE(run->behindMs(last + 7'000), 7'000);
        QCOMPARE(open({})->behindMs(last + 7'000), 0);
    }

    void tellsAboutManyRecordsOnce()
    {
        const auto run = open(halfWay());
        QSignalSpy changed(run.get(), &OpenRun::changed);
        for (std::uint64_t i = 0; i < 1000; ++i)
            run->apply("steps",
                       {{1, 50'000 + i, {0, 0}, support::sampleStep(halfWay(), 1001 + std::int64_t(i))}});
        AWAIT(!changed.isEmpty());
        QCOMPARE(changed.count(), 1);
        QCOMPARE(run->series().steps().size(), 2000);
    }

    void oldRecordsChangeNothing()
    {
        const auto run = open(halfWay());
        QSignalSpy changed(run.get(), &OpenRun::changed);
        run->apply("steps", {{1, 1, {0, 0}, support::sampleStep(halfWay(), 1)}});
        QTest::qWait(100);
        QCOMPARE(changed.count(), 0);
    }

    void theDeskTakesInRunsAndFollowsThoseThatGoOn()
    {
        QDir(m_folder->path()).mkdir("runs");
        const QString runs = m_folder->filePath("runs");
        support::writeSampleRun(runs, halfWay());
        support::SampleRun done;
        done.seed = 2;
        support::writeSampleRun(runs, done);
        QDir(runs).mkdir("not-a-run");

        const auto library = RunDatabase::open(m_folder->filePath("history.db")).value();
        RecordingHosts hosts;
        RunStore desk(*library, runs, &hosts);
        QCOMPARE(library->runs().size(), 2);
        QCOMPARE(hosts.followed.size(), 1);
        const QString id = hosts.followed.first();
        QCOMPARE(library->find(id)->state, RunState::Running);

        OpenRun* run = desk.open(id).value();
        run->apply("run", {{1, 90'000, {0, 0}, StateRecord{RunState::Finished, "", 2000, 2000, false}}});
        AWAIT_EQUAL(library->find(id)->state, RunState::Finished);
        desk.followAgain(id);
        QCOMPARE(hosts.followed.size(), 2);
    }

    void followsARunThatAnotherProgramStarted()
    {
        const QString runs = m_folder->filePath("runs");
        QDir().mkpath(runs);
        const auto library = RunDatabase::open(m_folder->filePath("history.db")).value();
        RecordingHosts hosts;
        RunStore desk(*library, runs, &hosts);
        QVERIFY(hosts.followed.isEmpty());

        support::SampleRun sample;
        sample.reached = 0;
        sample.state = RunState::Pending;
        const QString folder = support::writeSampleRun(runs, sample);
        const auto elsewhere = RunDatabase::open(m_folder->filePath("history.db")).value();
        RunStore other(*elsewhere, runs, nullptr); // enters it in the history, as a launch does
        QCOMPARE(elsewhere->runs().size(), 1);
        AWAIT_EQUAL(hosts.followed.size(), 1);
        QCOMPARE(hosts.followed.first(), QFileInfo(folder).fileName());
    }

    void forgetsALaunchThatCameToNothing()
    {
        QDir(m_folder->path()).mkdir("runs");
        support::SampleRun pending;
        pending.reached = 0;
        pending.state = RunState::Pending;
        const QString folder = support::writeSampleRun(m_folder->filePath("runs"), pending);
        const auto library = RunDatabase::open(m_folder->filePath("history.db")).value();
        RunStore desk(*library, m_folder->filePath("runs"), nullptr);
        QCOMPARE(library->runs().size(), 1);
        QVERIFY(QDir(folder).removeRecursively());
        desk.scan();
        QVERIFY(library->runs().isEmpty());
    }

private:
    std::unique_ptr<OpenRun> open(const support::SampleRun& sample)
    {
        return std::make_unique<OpenRun>(
            readRunFolder(support::writeSampleRun(m_folder->path(), sample)).value());
    }

    std::unique_ptr<QTemporaryDir> m_folder;
};

QTEST_GUILESS_MAIN(TestOpenRun)
#include "tst_open_run.moc"
