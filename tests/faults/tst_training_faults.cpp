#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include "engine/base/file.h"
#include "engine/records/fence.h"
#include "engine/records/flight_ring.h"
#include "engine/records/journal.h"
#include "tests/faults/desk_process.h"
#include "tests/faults/small_training.h"
#include "tests/faults/soak/checkpoint_check.h"
#include "tests/faults/supervised_run.h"
#include "tests/support/bundle/small_bundle.h"
#include "tests/support/faults/fault_report.h"
#include "tests/support/file_content.h"

using namespace trainyard;
using trainyard::support::contentOf;
using namespace trainyard::agent;
using soak::seeLatestCheckpoint;

namespace {

constexpr int kHosts = 2; ///< with ranks; the next one is the desk's
constexpr int kEverySteps = 10;
const QString kFirst = "/root/first", kSecond = "/root/second"; ///< folders of two desks

} // namespace

/// What may happen to a run that really trains, on two hosts, and to the desks on a third one. The hosts'
/// disks are memory of a fixed size.
class TestTrainingFaults : public QObject {
    Q_OBJECT

private slots:
    void initTestCase()
    {
        if (const QString why = lab::NetnsLab::whyNot(); !why.isEmpty())
            QSKIP(qPrintable(why));
        // Half a GiB of engine is not what these tests are about: the hosts see the build's own.
        const std::string worker = lab::seenInHosts(TRAINYARD_BIN_DIR "/trainyard-worker").toStdString();
        const auto agent = readFile(TRAINYARD_BIN_DIR "/trainyard-agent");
        QVERIFY(agent.ok());
        support::writeBundle(m_bundle.path().toStdString(),
                             {{"bin/trainyard-worker", "#!/bin/sh\nexec " + worker + " \"$@\"\n", true},
                              {"bin/trainyard-agent", *agent, true}});
        m_lab = std::make_unique<lab::NetnsLab>(lab::NetnsLab::Options{kHosts + 1, "200m", {}});
        QString trouble = m_lab->start();
        QVERIFY2(trouble.isEmpty(), qPrintable(trouble));
        m_training = std::make_unique<SmallTraining>(*m_lab, kHosts);
        trouble = m_training->prepare();
        QVERIFY2(trouble.isEmpty(), qPrintable(trouble));
    }
    void cleanupTestCase()
    {
        m_training.reset();
        m_lab.reset();
    }

    void cleanup()
    {
        for (int host = 0; m_lab && host <= kHosts; ++host)
            makeRoom(host);
    }

    void f35_diskOfTheHeadFull()
    {
        FaultReport report(
            35, "disk of the head full during a run",
            "training goes on; latest stays whole; no record is lost; checkpoints again when there is room");
        SupervisedRun run(*m_lab, spec(), TRAINYARD_BIN_DIR);
        QCOMPARE(run.launch(), QString());
        AWAIT(checkpointOf(run) > 0);
        fill(0);
        report.injected(freeSpace(0) + " KiB free on node1");
        const std::int64_t before = stepUnderWay(run);
        AWAIT(stepUnderWay(run) > before + 3 * kEverySteps);
        // A checkpoint that failed leaves its room, so records may be written for a while.
        AWAIT((fill(0), stepUnderWay(run) > stepWritten(run) + kEverySteps));
        const auto latest = seeLatestCheckpoint(run.folder().path() / "checkpoints");
        QVERIFY(latest && latest->damage.empty());
        QVERIFY(latest->step <= before);
        const std::int64_t during = stepUnderWay(run);
        makeRoom(0);
        AWAIT(checkpointOf(run) > during);
        AWAIT(!run.events("gap", "steps").isEmpty());
        QVERIFY(!run.events("checkpoint-failed", "steps").isEmpty());
        const QString told = run.events("checkpoint-failed", "steps").first();
        QVERIFY2(told.contains("No space left"), qPrintable(told));
        QVERIFY(run.isRunning(1));
        expectEveryStep(run);
        report.observed(QString("%1 steps without room; %2; %3")
                            .arg(during - before)
                            .arg(told, run.events("gap", "steps").first()));
        QVERIFY(run.stopEverywhere());
    }

    void f35_stoppedWhileTheDiskIsFull()
    {
        FaultReport report(
            35, "disk of the head full when a run is stopped",
            "it ends and says so; resumed from the last complete checkpoint when there is room");
        SupervisedRun run(*m_lab, spec(), TRAINYARD_BIN_DIR);
        QCOMPARE(run.launch(), QString());
        AWAIT(checkpointOf(run) > 0);
        fill(0);
        report.injected(freeSpace(0) + " KiB free on node1");
        const std::int64_t before = stepUnderWay(run);
        AWAIT(stepUnderWay(run) > before + kEverySteps);
        const std::int64_t kept = checkpointOf(run);
        QVERIFY(run.stopEverywhere());
        QCOMPARE(run.processesLeft(), 0);
        QVERIFY(seeLatestCheckpoint(run.folder().path() / "checkpoints")->damage.empty());
        // Said with no room but what was held for it.
        const QString reason = QString::fromStdString(run.status().reason);
        QVERIFY2(isFinal(run.status().state), qPrintable(reason));
        QVERIFY2(reason.startsWith("stopped by request") || reason.contains("No space left"),
                 qPrintable(reason));
        makeRoom(0);
        QCOMPARE(run.start(2), QString());
        AWAIT(run.isRunning(2));
        AWAIT(checkpointOf(run) > kept);
        QVERIFY(run.stopEverywhere());
        report.observed(QString("\"%1\"; attempt 2 went on behind step %2").arg(reason).arg(kept));
    }

    void f35_diskOfTheDeskFull()
    {
        FaultReport report(
            35, "disk of the desk full while it follows a run",
            "the run does not notice; the desk lives and says it; the copy is complete after the next look");
        SupervisedRun run(*m_lab, spec(), TRAINYARD_BIN_DIR);
        QCOMPARE(run.launch(), QString());
        DeskProcess desk(m_lab->host(kHosts), {SupervisedRun::name(), m_lab->host(0).address()});
        desk.keepUp();
        AWAIT(QFile(desk.mirror("steps")).size() > 10'000);
        const qint64 pid = desk.pid();
        fill(kHosts);
        report.injected(freeSpace(kHosts) + " KiB free on the desk");
        const std::size_t steps = run.steps();
        AWAIT(run.steps() > steps + 50);
        QCOMPARE(desk.pid(), pid);
        AWAIT(contentOf(desk.log()).contains("No space left") || desk.pid() != pid);
        const qint64 behind = QFile(original(run, "steps")).size() - QFile(desk.mirror("steps")).size();
        makeRoom(kHosts);
        QVERIFY(run.stopEverywhere());
        QVERIFY(desk.finish());
        for (const char* stream : {"steps", "run"})
            QCOMPARE(contentOf(desk.mirror(stream)), contentOf(original(run, stream)));
        report.observed(QString("%1 KiB behind, then byte for byte").arg(behind / 1024));
    }

    void f52_twoDesksOnOneRun()
    {
        FaultReport report(52, "two desks follow, stop and resume one run at the same time",
                           "stopped once, resumed once, and both have every record");
        SupervisedRun run(*m_lab, spec(), TRAINYARD_BIN_DIR);
        QCOMPARE(run.launch(), QString());
        DeskProcess first(m_lab->host(kHosts), {SupervisedRun::name(), m_lab->host(0).address(), kFirst});
        DeskProcess second(m_lab->host(kHosts), {SupervisedRun::name(), m_lab->host(0).address(), kSecond});
        first.keepUp();
        second.keepUp();
        AWAIT(QFile(first.mirror("steps")).size() > 10'000 && QFile(second.mirror("steps")).size() > 10'000);
        const QString stopped = bothAtOnce("stop");
        QVERIFY2(run.status().state == RunState::Stopped, run.status().reason.c_str());
        QCOMPARE(run.processesLeft(), 0);
        AWAIT(!first.isAtWork() && !second.isAtWork());
        const QString resumed = bothAtOnce("resume");
        QVERIFY2(QTest::qWaitFor([&] { return run.isRunning(2); }, kPatienceMs),
                 contentOf(first.log()) + contentOf(second.log()));
        QCOMPARE(newestAttempt(run.folder().path()), 2u);
        report.injected("each at the same time: attach, stop, resume");
        first.keepUp();
        second.keepUp();
        const std::size_t steps = run.steps();
        AWAIT(run.steps() > steps + 20);
        QVERIFY(run.stopEverywhere());
        QVERIFY(first.finish() && second.finish());
        for (const char* stream : {"steps", "run"}) {
            QCOMPARE(contentOf(first.mirror(stream)), contentOf(original(run, stream)));
            QCOMPARE(contentOf(second.mirror(stream)), contentOf(original(run, stream)));
        }
        report.observed("stop ended with status " + stopped + ", resume with " + resumed +
                        "; one attempt 2; both mirrors byte for byte");
    }

    void f58_stoppedWhileACheckpointIsWritten()
    {
        FaultReport report(58, "cancel in every state: while a checkpoint is being written",
                           "within the grace period; the newest checkpoint is whole and is where it stopped");
        SupervisedRun run(*m_lab, spec(), TRAINYARD_BIN_DIR);
        QCOMPARE(run.launch(), QString());
        AWAIT(checkpointOf(run) > 0);
        const auto staged = [&] {
            return !QDir(QString::fromStdString((run.folder().path() / "checkpoints").string()))
                        .entryList({".step-*"}, QDir::Dirs | QDir::Hidden)
                        .isEmpty();
        };
        QVERIFY(run.callHead({{"op", "checkpoint"}}).value("asked", false));
        QElapsedTimer timer;
        timer.start();
        while (!staged()) // it takes milliseconds
            QVERIFY(timer.elapsed() < kPatienceMs);
        report.injected("stop while .step-*.partial is there");
        timer.restart();
        QVERIFY(run.callHead({{"op", "stop"}}).value("clean", false));
        const qint64 took = timer.elapsed();
        QCOMPARE(run.status().state, RunState::Stopped);
        const auto latest = seeLatestCheckpoint(run.folder().path() / "checkpoints");
        QVERIFY(latest && latest->damage.empty());
        QCOMPARE(latest->step, run.status().step);
        QCOMPARE(run.processesLeft(), 0);
        report.observed(
            QString("stopped after %1 ms at the checkpoint of step %2").arg(took).arg(latest->step));
    }

private:
    /// Both desks give the same order at the same time. Their exit statuses: "0 and 5".
    QString bothAtOnce(const QString& order)
    {
        const auto give = [&](const QString& folder) {
            return startDesk(m_lab->host(kHosts),
                             {"TRAINYARD_DATA=" + folder, "TRAINYARD_BUNDLE=" + m_bundle.path()},
                             {order, SupervisedRun::name()});
        };
        const auto first = give(kFirst), second = give(kSecond);
        first->waitForFinished(kPatienceMs);
        second->waitForFinished(kPatienceMs);
        return QString("%1 and %2").arg(first->exitCode()).arg(second->exitCode());
    }

    RunSpec spec() const
    {
        RunSpec spec = m_training->spec();
        spec.checkpoint.everySteps = kEverySteps;
        return spec;
    }

    /// Takes what room there is, beside what it took before.
    void fill(int host)
    {
        m_lab->host(host).run(
            {"dd", "if=/dev/zero", "of=/root/filler", "bs=4k", "oflag=append", "conv=notrunc"});
    }
    void makeRoom(int host) { m_lab->host(host).run({"rm", "-f", "/root/filler"}); }
    QString freeSpace(int host)
    {
        return m_lab->host(host).run({"df", "--output=avail", "/root"}).output.simplified().split(' ').last();
    }

    static std::int64_t checkpointOf(const SupervisedRun& run) { return run.folder().publishedCheckpoint(); }

    /// As rank 0 has it in memory, which needs no room.
    static std::int64_t stepUnderWay(const SupervisedRun& run)
    {
        const auto ring = readFlightRing(flightRingPath(run.folder().path(), 0));
        return ring.ok() ? ring->step : 0;
    }

    static std::int64_t stepWritten(const SupervisedRun& run)
    {
        const auto journal = readJournal(run.folder().journal() / "steps");
        std::int64_t step = 0;
        for (std::size_t i = 0; journal.ok() && i < journal->records.size(); ++i) {
            if (const auto* done = std::get_if<StepRecord>(&journal->records[i].payload))
                step = done->step;
        }
        return step;
    }

    static QString original(const SupervisedRun& run, const std::string& stream)
    {
        return QString::fromStdString((run.folder().journal() / stream).string());
    }

    /// I1 within one attempt: steps 1, 2, 3, ...
    static void expectEveryStep(const SupervisedRun& run)
    {
        const auto journal = readJournal(run.folder().journal() / "steps");
        QVERIFY(journal.ok());
        std::int64_t step = 0;
        for (const Record& record : journal->records) {
            if (const auto* done = std::get_if<StepRecord>(&record.payload))
                QCOMPARE(done->step, ++step);
        }
    }

    QTemporaryDir m_bundle{TRAINYARD_TESTS_DIR "/bundle-XXXXXX"}; // the hosts see the build folder
    std::unique_ptr<lab::NetnsLab> m_lab;
    std::unique_ptr<SmallTraining> m_training;
};

QTEST_GUILESS_MAIN(TestTrainingFaults)
#include "tst_training_faults.moc"
