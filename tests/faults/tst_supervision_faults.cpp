#include <csignal>

#include <QElapsedTimer>

#include "engine/base/hash.h"
#include "engine/records/fence.h"
#include "tests/faults/memory_group.h"
#include "tests/faults/supervised_run.h"
#include "tests/support/faults/fault_report.h"
#include "tests/support/patience.h"

#include <QTest>

using namespace trainyard;
using namespace trainyard::agent;
using nlohmann::json;
using std::chrono::milliseconds;

namespace {

const RestartSpec kRestart{.limit = 8, .backoff = milliseconds(300)};
constexpr int kLeaseMs = 5000; ///< a tenth of what users have

bool endProcess(const lab::LabProcess& process, int signal = SIGKILL)
{
    return process.pid > 1 && ::kill(static_cast<pid_t>(process.pid), signal) == 0;
}

} // namespace

/// What ends ranks, their daemons, the supervisor and hosts while a run is at work on two hosts with real ssh
/// and mpirun. After each: no process and no file is left, and the state says what happened.
class TestSupervisionFaults : public QObject {
    Q_OBJECT

private slots:
    void initTestCase()
    {
        if (const QString why = lab::NetnsLab::whyNot(); !why.isEmpty())
            QSKIP(qPrintable(why));
        m_lab = std::make_unique<lab::NetnsLab>(lab::NetnsLab::Options{2, "64m", {}});
        const QString trouble = m_lab->start();
        QVERIFY2(trouble.isEmpty(), qPrintable(trouble));
        m_lab->trustHosts();
        QFile known(m_lab->knownHosts());
        QVERIFY(known.open(QIODevice::ReadOnly));
        const QByteArray lines = known.readAll();
        QFile onHead(m_lab->host(0).path("/root/.ssh/known_hosts"));
        QVERIFY(onHead.open(QIODevice::WriteOnly) && onHead.write(lines) > 0);
    }
    void cleanupTestCase() { m_lab.reset(); }

    void f03_linkCutForLongerThanTheLease()
    {
        FaultReport report(
            3, "link cut for longer than a node's lease",
            "the node ends its ranks itself; the run goes on when the host is back; no split brain");
        SupervisedRun run(*m_lab, SupervisedRun::plainSpec(*m_lab, kRestart), TRAINYARD_FAKE_PROGRAMS);
        QCOMPARE(run.launch({{"lease_ms", kLeaseMs}}), QString());
        AWAIT(run.isRunning(1));
        AWAIT(run.processes(1, "trainyard-worker").size() == 1);
        QElapsedTimer timer;
        timer.start();
        m_lab->host(1).cutLink();
        report.injected("interface of node2 down");
        AWAIT(run.processes(1, "trainyard-worker").isEmpty() && run.processes(1, "orted").isEmpty());
        const qint64 alone = timer.elapsed();
        AWAIT(newestAttempt(run.folder().path()) >= 2);
        const qint64 noticed = timer.elapsed();
        const std::string waiting =
            "waiting up to 15 min 0 s: no answer from " + m_lab->host(1).address().toStdString();
        AWAIT_EQUAL(run.status().reason, waiting);
        QCOMPARE(run.status().state, RunState::Starting);
        m_lab->host(1).restoreLink();
        AWAIT(run.isRunning(2) && run.processes(1, "trainyard-worker").size() == 1);
        QCOMPARE(run.processes(0, "trainyard-worker").size(), 1);
        QCOMPARE(run.events("restarting").size(), 1);
        QCOMPARE(run.events("hosts-away").size(), 1);
        QVERIFY2(run.events("restarting").first().contains("lost"),
                 qPrintable(run.events("restarting").first()));
        QVERIFY(run.events("hosts-away").contains("no answer from " + m_lab->host(1).address()));
        endCleanly(run);
        report.observed(
            QString("lease of 5 s: ranks of the node gone after %1 ms, noticed on the head after %2 ms, "
                    "at work again as attempt %3")
                .arg(alone)
                .arg(noticed)
                .arg(run.status().attempt));
    }

    void f03_hostThatStaysAway()
    {
        FaultReport report(3, "link cut for longer than a node's lease",
                           "a host that does not come back: the run fails, and says for how long it waited");
        SupervisedRun run(*m_lab, SupervisedRun::plainSpec(*m_lab, kRestart), TRAINYARD_FAKE_PROGRAMS);
        QCOMPARE(run.launch({{"lease_ms", kLeaseMs}, {"wait_for_hosts_ms", 1000}}), QString());
        AWAIT(run.isRunning(1));
        m_lab->host(1).cutLink();
        report.injected("interface of node2 down");
        run.tellHeadOfLoss(1);
        AWAIT_EQUAL(run.status().state, RunState::Failed);
        m_lab->host(1).restoreLink();
        const QString reason = QString::fromStdString(run.status().reason);
        QVERIFY2(reason.contains("attempt 2 did not start: gave up after ") &&
                     reason.endsWith(": no answer from " + m_lab->host(1).address()),
                 qPrintable(reason));
        QCOMPARE(run.events("restarting").size(), 1);
        endCleanly(run);
        report.observed(reason);
    }

    void f39_supervisorKilled()
    {
        FaultReport report(39, "supervisor killed",
                           "no rank stays on any host; the next connection tells the truth");
        SupervisedRun run(*m_lab, SupervisedRun::plainSpec(*m_lab, kRestart), TRAINYARD_FAKE_PROGRAMS);
        QCOMPARE(run.launch(), QString());
        AWAIT(run.isRunning(1));
        QElapsedTimer timer;
        timer.start();
        QVERIFY(run.supervisor() > 1 && ::kill(static_cast<pid_t>(run.supervisor()), SIGKILL) == 0);
        report.injected("SIGKILL for the supervisor");
        AWAIT(run.processesLeft() == 0);
        report.observed(QString("every process of both hosts gone after %1 ms").arg(timer.elapsed()));
        const json runs = run.callHead({{"op", "runs"}})["runs"];
        QCOMPARE(runs[0].value("state", ""), std::string("failed"));
        QVERIFY2(runs[0].value("reason", "").find("the supervisor on node1") == 0, runs.dump().c_str());
        endCleanly(run);
    }

    void f40_rankEnds_data()
    {
        QTest::addColumn<int>("host");
        QTest::addColumn<int>("signal");
        QTest::addRow("killed on the other host") << 1 << SIGKILL;
        QTest::addRow("killed on the head") << 0 << SIGKILL;
        QTest::addRow("segmentation fault") << 1 << SIGSEGV;
        QTest::addRow("abort") << 1 << SIGABRT;
    }
    void f40_rankEnds()
    {
        QFETCH(int, host);
        QFETCH(int, signal);
        FaultReport report(40, "one rank killed, SEGV, exit 1, abort",
                           "the whole job stops, its cause is named, the next attempt goes on");
        SupervisedRun run(*m_lab, SupervisedRun::plainSpec(*m_lab, kRestart), TRAINYARD_FAKE_PROGRAMS);
        QCOMPARE(run.launch(), QString());
        AWAIT(run.isRunning(1));
        AWAIT(run.processes(host, "trainyard-worker").size() == 1);
        QVERIFY(endProcess(run.processes(host, "trainyard-worker").first(), signal));
        report.injected(QString("signal %1 for rank %2").arg(signal).arg(host));
        AWAIT(run.isRunning(2));
        QCOMPARE(run.events("restarting").size(), 1);
        const QString told = run.events("restarting").first();
        QVERIFY2(told.contains(QString("was killed by signal %1").arg(signal)), qPrintable(told));
        // OpenMPI 4.1 now and then does not say which rank it was.
        QVERIFY2(told.contains(QString("rank %1 on ").arg(host)) || told.contains("did not say which one"),
                 qPrintable(told));
        endCleanly(run);
        report.observed(told);
    }

    void f35_rankKilledWhileTheDiskIsFull()
    {
        FaultReport report(35, "disk of the head full when a rank is lost",
                           "the next attempt begins all the same, with the room that was held for it");
        RestartSpec restart = kRestart;
        restart.backoff = std::chrono::seconds(3);
        QCOMPARE(m_lab->host(0).mountDisk("/root/.trainyard", "size=8m"), QString());
        const auto disk = qScopeGuard([this] { m_lab->host(0).unmountDisk("/root/.trainyard"); });
        SupervisedRun run(*m_lab, SupervisedRun::plainSpec(*m_lab, restart), TRAINYARD_FAKE_PROGRAMS);
        QCOMPARE(run.launch(), QString());
        AWAIT(run.isRunning(1));
        AWAIT(run.processes(1, "trainyard-worker").size() == 1);
        m_lab->host(0).run({"dd", "if=/dev/zero", "of=/root/.trainyard/filler", "bs=4k"});
        report.injected("the last 4 KiB of the head's disk taken, SIGKILL for rank 1");
        QVERIFY(endProcess(run.processes(1, "trainyard-worker").first()));
        AWAIT(readSupervisor(run.folder())->attempt == 2);
        m_lab->host(0).run({"rm", "/root/.trainyard/filler"});
        AWAIT(run.isRunning(2));
        endCleanly(run);
        report.observed("attempt 2 begun without room, at work once there was some");
    }

    void f62_anotherUserTakesTheNames()
    {
        FaultReport report(62, "another user of a host takes the names that a run needs",
                           "the run starts and restarts under names that nobody can guess");
        const QString hash = QString::fromStdString(xxh3Hex(SupervisedRun::name().toStdString()));
        QStringList names;
        for (int attempt = 1; attempt <= 3; ++attempt) {
            names << QString("/dev/shm/trainyard-0-%1-%2").arg(hash).arg(attempt);
            names << QString("/dev/shm/trainyard-%1-%2").arg(hash).arg(attempt);
        }
        const QStringList asStranger{"setpriv", "--reuid=12345", "--regid=12345", "--clear-groups", "mkdir"};
        for (int host : {0, 1})
            QVERIFY(m_lab->host(host).run(asStranger + names).ok());
        report.injected("/dev/shm/trainyard-... of attempts 1 to 3 made by another user on both hosts");
        SupervisedRun run(*m_lab, SupervisedRun::plainSpec(*m_lab, kRestart), TRAINYARD_FAKE_PROGRAMS);
        QCOMPARE(run.launch(), QString());
        AWAIT(run.isRunning(1));
        AWAIT(run.processes(1, "trainyard-worker").size() == 1);
        QVERIFY(endProcess(run.processes(1, "trainyard-worker").first()));
        AWAIT(run.isRunning(2));
        QVERIFY(run.stopEverywhere());
        for (int host : {0, 1})
            QVERIFY(m_lab->host(host).run(QStringList{"rmdir"} + names).ok()); // untouched
        endCleanly(run);
        report.observed("attempts 1 and 2 at work; the other user's folders as they were, none of ours left");
    }

    void f40_rankExitsWithAnError()
    {
        FaultReport report(40, "one rank killed, SEGV, exit 1, abort",
                           "named with its last words; not restarted");
        SupervisedRun run(*m_lab, SupervisedRun::plainSpec(*m_lab, kRestart), TRAINYARD_FAKE_PROGRAMS);
        QCOMPARE(run.launch({{"environment", {{"TRAINYARD_FAKE", "fail"}, {"TRAINYARD_FAKE_RANK", "0"}}}}),
                 QString());
        report.injected("rank 0 ends with status 5");
        AWAIT(run.status().state == RunState::Failed);
        QCOMPARE(run.status().attempt, 1u);
        const QString reason = QString::fromStdString(run.status().reason);
        QVERIFY2(reason.startsWith("rank 0 on ") && reason.contains("the loss is not finite at step 3"),
                 qPrintable(reason));
        endCleanly(run);
        report.observed(reason);
    }

    /// The supervisor is in the group, and so are the ranks of the attempts that follow.
    void f42_outOfMemory()
    {
        if (const QString why = MemoryGroup::whyNot(); !why.isEmpty())
            QSKIP(qPrintable(why));
        FaultReport report(42, "out-of-memory kill",
                           "lack of memory is named with the rank; tried again, but not for ever");
        MemoryGroup group(64 * kMiB);
        RestartSpec restart = kRestart;
        restart.limit = 2;
        SupervisedRun run(*m_lab, SupervisedRun::plainSpec(*m_lab, restart), TRAINYARD_FAKE_PROGRAMS);
        QCOMPARE(run.launch({{"environment", {{"TRAINYARD_FAKE", "greedy"}, {"TRAINYARD_FAKE_RANK", "0"}}}}),
                 QString());
        AWAIT(run.isRunning(1));
        AWAIT(run.processes(0, "trainyard-worker").size() == 1);
        QVERIFY(group.take(run.processes(0, "trainyard-worker").first().pid));
        QVERIFY(group.take(run.supervisor()));
        AWAIT(group.kills() > 0);
        report.injected("64 MiB for the rank on node1: the kernel killed it");
        AWAIT(run.status().state == RunState::Failed);
        const QString first = run.events("restarting").value(0);
        QVERIFY2(first.contains("the kernel killed processes for lack of memory"), qPrintable(first));
        QVERIFY2(first.contains("rank 0 on ") || first.contains("did not say which one"), qPrintable(first));
        const QString reason = QString::fromStdString(run.status().reason);
        QVERIFY2(reason.contains("not restarted"), qPrintable(reason));
        endCleanly(run);
        report.observed(QString("%1 kills; %2; in the end: %3").arg(group.kills()).arg(first, reason));
    }

    void f43_launcherKilled_data()
    {
        QTest::addColumn<int>("host");
        QTest::addColumn<QByteArray>("program");
        QTest::addRow("mpirun") << 0 << QByteArray("mpirun");
        QTest::addRow("orted") << 1 << QByteArray("orted");
        QTest::addRow("guard") << 1 << QByteArray("trainyard-agent");
    }
    void f43_launcherKilled()
    {
        QFETCH(int, host);
        QFETCH(QByteArray, program);
        FaultReport report(43, "orted or mpirun killed", "all ranks are gone within 3 s; the run goes on");
        SupervisedRun run(*m_lab, SupervisedRun::plainSpec(*m_lab, kRestart), TRAINYARD_FAKE_PROGRAMS);
        QCOMPARE(run.launch(), QString());
        AWAIT(run.isRunning(1));
        AWAIT(run.processes(1, "trainyard-worker").size() == 1);
        QList<lab::LabProcess> ranks =
            run.processes(0, "trainyard-worker") + run.processes(1, "trainyard-worker");
        lab::LabProcess victim;
        for (const lab::LabProcess& process : run.processes(host, program)) {
            if (program != "trainyard-agent" || process.commandLine.contains(" guard "))
                victim = process;
        }
        QElapsedTimer timer;
        timer.start();
        QVERIFY(endProcess(victim));
        report.injected(QString("SIGKILL for %1").arg(QString::fromUtf8(victim.commandLine.left(60))));
        for (const lab::LabProcess& rank : ranks)
            AWAIT(!QFile::exists(QString("/proc/%1").arg(rank.pid)));
        const qint64 gone = timer.elapsed();
        AWAIT(run.isRunning(2));
        endCleanly(run);
        report.observed(
            QString("ranks gone after %1 ms; %2").arg(gone).arg(run.events("restarting").value(0)));
    }

    /// Beside the list: the head itself goes down.
    void f03_headRebootsAndTheRunGoesOn()
    {
        FaultReport report(
            3, "link cut for longer than a node's lease",
            "head without power: the other node ends its ranks itself; the run goes on after the boot");
        RestartSpec restart = kRestart;
        restart.afterReboot = true;
        SupervisedRun run(*m_lab, SupervisedRun::plainSpec(*m_lab, restart), TRAINYARD_FAKE_PROGRAMS);
        QCOMPARE(run.launch({{"lease_ms", kLeaseMs}}), QString());
        AWAIT(run.isRunning(1));
        AWAIT(run.processes(1, "trainyard-worker").size() == 1);
        m_lab->host(0).powerOff();
        run.forgetAgent(0);
        report.injected("node1 without power");
        QElapsedTimer timer;
        timer.start();
        AWAIT(run.processes(1, "trainyard-worker").isEmpty() && run.processes(1, "orted").isEmpty());
        const qint64 alone = timer.elapsed();
        QCOMPARE(m_lab->host(0).powerOn(), QString());
        const auto revived =
            m_lab->host(0).run({lab::seenInHosts(TRAINYARD_AGENT), "revive", "--root", "/root/.trainyard"});
        QCOMPARE(revived.output.trimmed(), QByteArray::fromStdString(run.folder().run()));
        AWAIT(run.isRunning(2));
        QVERIFY(!run.events("supervisor-died").isEmpty());
        QVERIFY2(run.events("supervisor-died").first().contains("was restarted during the run"),
                 qPrintable(run.events("supervisor-died").first()));
        QVERIFY(m_lab->host(0)
                    .run({lab::seenInHosts(TRAINYARD_AGENT), "revive", "--root", "/root/.trainyard"})
                    .output.isEmpty());
        endCleanly(run);
        report.observed(QString("ranks of the other node gone after %1 ms; attempt 2 runs").arg(alone));
    }

    void f41_suspendedRank()
    {
        FaultReport report(41, "rank suspended",
                           "named within a minute; a stop ends it within 10 s; given up in the end");
        SupervisedRun run(*m_lab, SupervisedRun::plainSpec(*m_lab, kRestart), TRAINYARD_FAKE_PROGRAMS);
        QCOMPARE(run.launch({{"stall_ms", 4000}}), QString());
        AWAIT(run.isRunning(1));
        AWAIT(run.processes(0, "trainyard-worker").size() == 1);
        QVERIFY(endProcess(run.processes(0, "trainyard-worker").first(), SIGSTOP));
        report.injected("SIGSTOP for rank 0");
        AWAIT(run.isRunning(2)); // given up after 4 s without a step
        QVERIFY(endProcess(run.processes(0, "trainyard-worker").first(), SIGSTOP));
        QElapsedTimer timer;
        timer.start();
        QVERIFY(run.callHead({{"op", "stop"}}).value("clean", false));
        report.observed(
            QString("given up and restarted; then stopped in %1 ms with the defaults").arg(timer.elapsed()));
        endCleanly(run);
        QCOMPARE(run.status().state, RunState::Stopped);
    }

    void f58_stoppedInEveryState_data()
    {
        QTest::addColumn<QString>("state");
        for (const char* state : {"starting", "running", "waiting for a restart", "stopping"})
            QTest::addRow("%s", state) << state;
    }
    void f58_stoppedInEveryState()
    {
        QFETCH(QString, state);
        FaultReport report(58, "cancel in every state: " + state,
                           "over within the grace period and 3 s; nothing left on any host");
        RestartSpec restart = kRestart;
        if (state == "waiting for a restart")
            restart.backoff = std::chrono::minutes(2);
        SupervisedRun run(*m_lab, SupervisedRun::plainSpec(*m_lab, restart), TRAINYARD_FAKE_PROGRAMS);
        QCOMPARE(
            run.launch({{"environment", {{"TRAINYARD_FAKE", state == "stopping" ? "stubborn" : "train"}}}}),
            QString());
        MUST(bringTo(state, run));
        report.injected(QString("stop in state %1").arg(nameOf(run.status().state).data()));
        QElapsedTimer timer;
        timer.start();
        const bool again = state == "stopping"; // this time without a grace period
        QVERIFY(
            run.callHead({{"op", "stop"}, {"grace_ms", 2000}, {"checkpoint", !again}}).value("clean", false));
        const qint64 took = timer.elapsed();
        QCOMPARE(run.status().state, RunState::Stopped);
        endCleanly(run);
        report.observed(QString("over after %1 ms with a grace period of %2 s").arg(took).arg(again ? 0 : 2));
    }

    /// A pid file may name a process that is long gone while a stranger has its number.
    void f59_processIdUsedAgain()
    {
        FaultReport report(59, "process id used again", "the stranger is never ended");
        SupervisedRun run(*m_lab, SupervisedRun::plainSpec(*m_lab, kRestart), TRAINYARD_FAKE_PROGRAMS);
        QCOMPARE(run.launch(), QString());
        AWAIT(run.isRunning(1));
        const qint64 number = readSupervisor(run.folder())->pid; // as the host counts
        QVERIFY(run.supervisor() > 1 && ::kill(static_cast<pid_t>(run.supervisor()), SIGKILL) == 0);
        AWAIT(run.processesLeft() == 0);
        // The next process of that host gets the very number.
        const QByteArray wanted = QByteArray::number(number);
        const QByteArray script =
            "until echo " + QByteArray::number(number - 1) +
            " > /proc/sys/kernel/ns_last_pid; sleep 300 >/dev/null 2>&1 & [ $! = " + wanted +
            " ]; do kill $!; done; echo $!"; // another may come in between
        const auto stranger = m_lab->host(0).run({"sh", "-c", QString::fromUtf8(script)}).output.trimmed();
        QCOMPARE(stranger, wanted);
        report.injected("a stranger has the supervisor's number " + stranger);
        QCOMPARE(run.callHead({{"op", "runs"}})["runs"][0].value("state", ""), std::string("failed"));
        QVERIFY(run.callHead({{"op", "stop"}, {"grace_ms", 0}}).value("clean", false));
        QVERIFY(m_lab->host(0).run({"kill", "-0", stranger}).ok());
        m_lab->host(0).run({"kill", stranger});
        report.observed("recovered and stopped; the stranger lived on");
        endCleanly(run);
    }

private:
    void bringTo(const QString& state, SupervisedRun& run)
    {
        if (state == "starting")
            return;
        if (state == "stopping") {
            AWAIT(run.processes(0, "trainyard-worker").size() == 1);
            run.tellHead({{"op", "stop"}, {"grace_ms", 60'000}});
            AWAIT(run.status().state == RunState::Stopping);
            return;
        }
        AWAIT(run.isRunning(1));
        if (state == "running")
            return;
        AWAIT(run.processes(1, "trainyard-worker").size() == 1);
        QVERIFY(endProcess(run.processes(1, "trainyard-worker").first()));
        AWAIT(run.events("restarting").size() == 1);
    }

    /// I2: nothing is left on any host, neither processes nor OpenMPI's files.
    void endCleanly(SupervisedRun& run)
    {
        QVERIFY(run.stopEverywhere());
        QCOMPARE(run.processesLeft(), 0);
        QCOMPARE(run.filesLeft(), QStringList());
    }

    std::unique_ptr<lab::NetnsLab> m_lab;
};

QTEST_GUILESS_MAIN(TestSupervisionFaults)
#include "tst_supervision_faults.moc"
