#include <QScopeGuard>
#include <QTest>

#include "engine/records/journal.h"
#include "tests/support/faults/fault_report.h"
#include "tests/support/patience.h"
#include "tests/support/slurm_lab/slurm_desk.h"

using namespace trainyard;
using namespace trainyard::lab;

/// Slurm itself takes a minute for what is injected.
#define ONLY_IN_LONG_RUNS()                                                                                  \
    if (!qEnvironmentVariableIsSet("TRAINYARD_LONG"))                                                        \
    QSKIP("takes a minute: in runs with the label long")

/// Fault 44: what goes wrong in a Slurm cluster under a run. After each of them the state is the right one,
/// the run goes on from a checkpoint with the next attempt, and nothing of an old attempt is left.
class TestSlurmFaults : public QObject {
    Q_OBJECT

private slots:
    void initTestCase()
    {
        if (const QString why = SlurmLab::whyNot(); !why.isEmpty())
            QSKIP(qPrintable(why));
        m_desk = std::make_unique<SlurmDesk>();
        const QString trouble = m_desk->start();
        QVERIFY2(trouble.isEmpty(), qPrintable(trouble));
    }
    void cleanupTestCase() { m_desk.reset(); }
    void cleanup()
    {
        if (!m_desk)
            return;
        const QString trouble = QTest::currentTestFailed() ? cluster().mend() : QString();
        QVERIFY2(trouble.isEmpty(), qPrintable(trouble));
        QVERIFY(cluster().awaitIdle());
        cluster().endRanksQuickly(true);
    }

    void f44_cancelledFromOutside()
    {
        FaultReport report(44, "Slurm: scancel from outside",
                           "stopped with a checkpoint, job gone, can be resumed");
        cluster().endRanksQuickly(false); // Slurm ends them, and they are to keep a checkpoint
        QString run;
        MUST(begin(m_desk->spec(), run));
        const QString job = m_desk->jobOf(run);
        QVERIFY(cluster().slurm({"scancel", job}).ok());
        AWAIT_ON(isFinal(m_desk->ask(run).state), run);
        AWAIT_ON(cluster().jobField(job, "JobState") == "CANCELLED", run);
        report.injected("scancel " + job);
        const HostRun after = m_desk->ask(run);
        QCOMPARE(after.state, RunState::Stopped);
        QVERIFY2(after.reason.contains("cancelled"), qPrintable(after.reason));
        QVERIFY(m_desk->checkpointOf(run) > 0);
        MUST(resumeAndStop(run));
        report.observed(after.reason + "; resumed");
    }

    void f44_cancelledWhileItWaits()
    {
        FaultReport report(44, "Slurm: scancel of a waiting job", "stopped, Slurm named, can be resumed");
        QString first, waiting;
        MUST(begin(m_desk->spec(), first));
        RunSpec wholeNodes = m_desk->spec();
        wholeNodes.launch.threadsPerRank = 2;
        MUST(launch(wholeNodes, waiting));
        const QString job = m_desk->jobOf(waiting);
        AWAIT_ON(m_desk->ask(waiting).reason.startsWith("queued"), waiting);
        QVERIFY(cluster().slurm({"scancel", job}).ok());
        AWAIT_ON(isFinal(m_desk->ask(waiting).state), waiting);
        report.injected("scancel " + job + " while " + m_desk->history(waiting));
        QCOMPARE(m_desk->ask(waiting).state, RunState::Stopped);
        QCOMPARE(m_desk->ask(waiting).reason, "Slurm job " + job + " was cancelled in Slurm");
        MUST(stop(first));
        MUST(resumeAndStop(waiting));
        report.observed("stopped, then resumed as attempt 2");
    }

    void f44_warnedBeforeTheTimeLimit()
    {
        ONLY_IN_LONG_RUNS();
        FaultReport report(44, "Slurm: warning before the time limit",
                           "checkpoint, stopped with \"time limit\", resume goes on from there");
        cluster().endRanksQuickly(false); // Slurm ends them, and they are to keep a checkpoint
        RunSpec spec = m_desk->spec();
        spec.launch.slurm.timeLimit = std::chrono::minutes(2);
        spec.launch.slurm.warning = std::chrono::seconds(110); // Slurm may give it up to a minute earlier
        QString run;
        MUST(begin(spec, run));
        AWAIT_ON(isFinal(m_desk->ask(run).state), run);
        const HostRun after = m_desk->ask(run);
        QVERIFY2(after.reason.startsWith("time limit of Slurm job " + m_desk->jobOf(run) +
                                         ": checkpoint at step "),
                 qPrintable(after.reason));
        report.injected("SIGTERM from Slurm, --signal=B:TERM@110 --time=2");
        QCOMPARE(after.state, RunState::Stopped);
        QVERIFY(after.reason.endsWith(QString(" %1").arg(m_desk->checkpointOf(run))));
        MUST(resumeAndStop(run));
        report.observed(after.reason);
    }

    void f44_requeued()
    {
        FaultReport report(44, "Slurm: scontrol requeue",
                           "queued again with the reason, then attempt 2 from the checkpoint");
        cluster().endRanksQuickly(false); // Slurm ends them, and they are to keep a checkpoint
        QString run;
        MUST(begin(m_desk->spec(), run));
        const QString job = m_desk->jobOf(run);
        QVERIFY(cluster().slurm({"scontrol", "requeue", job}).ok());
        AWAIT_ON(m_desk->ask(run).reason.contains("BeginTime"), run);
        report.injected("scontrol requeue " + job + ": Restarts=" + cluster().jobField(job, "Restarts"));
        const HostRun waiting = m_desk->ask(run);
        QCOMPARE(waiting.state, RunState::Pending);
        QCOMPARE(waiting.attempt, 2);
        const qint64 kept = m_desk->checkpointOf(run);
        QVERIFY(kept > 0);
        cluster().endRanksQuickly(true);
        cluster().hurry(job);
        AWAIT_ON(m_desk->ask(run).step > kept, run);
        QCOMPARE(m_desk->jobOf(run), job);
        QCOMPARE(firstStepOf(run, 2), kept + 1);
        MUST(stop(run));
        report.observed(waiting.reason + "; attempt 2 began at step " + QString::number(kept + 1));
    }

    /// What a node's full or broken disk comes to.
    void f44_heldAfterAFailedLaunch()
    {
        FaultReport report(44, "Slurm: a node cannot start the job, which Slurm holds then",
                           "the state says so and how it goes on; released, it does");
        const auto freeSpools = [&] {
            for (int index = 0; index < cluster().nodeCount(); ++index)
                cluster().node(index).unmountDisk("/mnt/slurm/spool");
        };
        for (int index = 0; index < cluster().nodeCount(); ++index)
            QVERIFY(cluster().node(index).mountDisk("/mnt/slurm/spool", "size=1m,ro").isEmpty());
        auto spools = qScopeGuard(freeSpools);
        report.injected("the folders in which slurmd keeps its jobs read-only");
        QString run;
        MUST(launch(m_desk->spec(), run));
        const QString job = m_desk->jobOf(run);
        AWAIT_ON(m_desk->ask(run).reason.startsWith("held by Slurm"), run);
        const HostRun held = m_desk->ask(run);
        QCOMPARE(held.state, RunState::Pending);
        QCOMPARE(held.reason, QString("held by Slurm as job %1: launch_failed_requeued_held (Slurm could not "
                                      "start it on its nodes); release it with `scontrol release %1`, or "
                                      "stop the run")
                                  .arg(job));
        freeSpools();
        spools.dismiss();
        QVERIFY(cluster().slurm({"scontrol", "release", job}).ok());
        cluster().hurry(job);
        AWAIT_ON(m_desk->ask(run).step > 0, run);
        MUST(stop(run));
        report.observed(held.reason);
    }

    void f44_preempted()
    {
        ONLY_IN_LONG_RUNS();
        FaultReport report(44, "Slurm: preemption",
                           "checkpoint, queued again, attempt 2 when the other job is over");
        cluster().endRanksQuickly(false); // Slurm ends them, and they are to keep a checkpoint
        QString run, urgent;
        MUST(begin(m_desk->spec(), run));
        RunSpec important = m_desk->spec();
        important.launch.slurm.partition = "urgent";
        important.launch.threadsPerRank = 2;
        MUST(launch(important, urgent));
        AWAIT_ON(m_desk->ask(urgent).step > 0, urgent);
        const QString job = m_desk->jobOf(run);
        QVERIFY(cluster().jobField(job, "Restarts").toInt() == 1);
        report.injected("job " + m_desk->jobOf(urgent) + " of the partition urgent took the nodes of job " +
                        job);
        AWAIT_ON(m_desk->ask(run).state == RunState::Pending, run);
        QCOMPARE(m_desk->ask(run).attempt, 2);
        const qint64 kept = m_desk->checkpointOf(run);
        QVERIFY(kept > 0);
        MUST(stop(urgent));
        cluster().hurry(job);
        AWAIT_ON(m_desk->ask(run).step > kept, run);
        MUST(stop(run));
        report.observed(QString("attempt 2 went on from step %1").arg(kept));
    }

    void f44_controllerDown()
    {
        FaultReport report(44, "Slurm: slurmctld down",
                           "the run goes on; a launch is refused; stop works when it is back");
        QString run;
        MUST(begin(m_desk->spec(), run));
        cluster().stopController();
        QVERIFY(!cluster().login().run({"test", "-e", "/run/slurmctld.pid"}).ok());
        report.injected("slurmctld stopped");
        QVERIFY(m_desk->finish(m_desk->service().launch(m_desk->spec())).isEmpty());
        QVERIFY2(m_desk->error().contains("Slurm's controller does not answer on node1"),
                 qPrintable(m_desk->error()));
        const qint64 step = m_desk->ask(run).step;
        AWAIT_ON(m_desk->ask(run).step > step, run);
        QCOMPARE(m_desk->ask(run).state, RunState::Running);
        const QString trouble = cluster().startController();
        QVERIFY2(trouble.isEmpty(), qPrintable(trouble));
        MUST(stop(run));
        report.observed("steps went on; launch said: " + m_desk->error());
    }

    /// What a controller comes to that dies before it has saved its state: it gives numbers of jobs again
    /// that still run.
    void f44_controllerForgetsItsJobs()
    {
        FaultReport report(44, "Slurm: slurmctld comes back without its state",
                           "the run told as lost and gone from the nodes, another one started with its "
                           "number not taken for it; can be resumed");
        QString run, other;
        MUST(begin(m_desk->spec(1), run));
        cluster().stopController();
        QVERIFY(cluster().login().run({"sh", "-c", "rm -r /mnt/slurm/state/*"}).ok());
        report.injected("slurmctld's saved state removed while job " + m_desk->jobOf(run) + " runs");
        const QString trouble = cluster().startController();
        QVERIFY2(trouble.isEmpty(), qPrintable(trouble));
        AWAIT_ON(m_desk->ask(run).reason.contains("Slurm no longer knows"), run);
        const HostRun lost = m_desk->ask(run);
        QCOMPARE(lost.state, RunState::Failed);
        for (int index = 0; index < cluster().nodeCount(); ++index)
            AWAIT_ON(m_desk->processesOf(run, index) == 0, run);
        QVERIFY(cluster().awaitIdle());
        // Where a node has seen a number it may refuse it: --test-only uses it up.
        for (int number = 0; number <= m_desk->jobOf(run).toInt(); ++number)
            QVERIFY(cluster().slurm({"sbatch", "--test-only", "--wrap=true"}).ok());
        MUST(launch(m_desk->spec(1), other));
        AWAIT_ON(m_desk->ask(other).step > 0, other);
        QVERIFY(giveNumberOf(other, run));
        QCOMPARE(m_desk->finish(m_desk->service().stop(run)), run);
        QCOMPARE(m_desk->ask(other).state, RunState::Running);
        MUST(resumeAndStop(run));
        MUST(stop(other));
        report.observed(lost.reason + "; job " + m_desk->jobOf(other) + " of another run left alone");
    }

    void f44_nodeDaemonKilled()
    {
        FaultReport report(44, "Slurm: slurmd killed and started again", "the run goes on");
        QString run;
        MUST(begin(m_desk->spec(), run));
        cluster().killNodeDaemon(1);
        QVERIFY(!cluster().node(1).run({"test", "-e", "/run/slurmd.pid"}).ok());
        report.injected("slurmd of " + cluster().nodeName(1) + " killed");
        const qint64 step = m_desk->ask(run).step;
        AWAIT_ON(m_desk->ask(run).step > step + 5, run);
        const QString trouble = cluster().startNodeDaemon(1);
        QVERIFY2(trouble.isEmpty(), qPrintable(trouble));
        QCOMPARE(m_desk->ask(run).state, RunState::Running);
        QCOMPARE(m_desk->ask(run).attempt, 1);
        MUST(stop(run));
        report.observed("no step was lost");
    }

    /// The first node holds the supervisor; Slurm loses it, and gives the job to the nodes anew.
    void f44_firstNodeCutOff()
    {
        ONLY_IN_LONG_RUNS();
        FaultReport report(44, "Slurm: the batch step's node cut off, NODE_FAIL and requeue",
                           "attempt 2 on the nodes that are there, the old attempt fenced and gone");
        RunSpec spec = m_desk->spec(1);
        QString run;
        MUST(begin(spec, run));
        const QString job = m_desk->jobOf(run);
        const QString lost = cluster().jobField(job, "BatchHost");
        const int index = lost == cluster().nodeName(0) ? 0 : 1;
        cluster().node(index).cutLink();
        // Slurm takes its time: SlurmdTimeout is 10 s here.
        AWAIT_ON(cluster().jobField(job, "Restarts").toInt() == 1, run);
        report.injected("link of " + lost + " down until Slurm requeued job " + job);
        AWAIT_ON(hasGoneOn(run), run);
        QVERIFY(cluster().jobField(job, "BatchHost") != lost);
        // The shared folder of the lab needs no network: the old attempt sees that it is fenced.
        AWAIT_ON(m_desk->processesOf(run, index) == 0, run);
        const qint64 step = m_desk->ask(run).step;
        AWAIT_ON(m_desk->ask(run).step > step, run);
        cluster().node(index).restoreLink();
        MUST(stop(run));
        report.observed("attempt 2 on " + cluster().jobField(job, "BatchHost") + "; nothing left on " + lost);
    }

    /// The ranks notice before Slurm does; the job must wait for the node, not end.
    void f44_secondNodeCutOff()
    {
        ONLY_IN_LONG_RUNS();
        FaultReport report(44, "Slurm: another node than the batch step's cut off",
                           "requeued, never told as failed, attempt 2 when the node is back");
        QString run;
        MUST(begin(m_desk->spec(), run));
        const QString job = m_desk->jobOf(run);
        const QString head = cluster().jobField(job, "BatchHost");
        const int index = head == cluster().nodeName(0) ? 1 : 0;
        cluster().node(index).cutLink();
        report.injected("link of " + cluster().nodeName(index) + " down until the job waits");
        AWAIT_ON(m_desk->ask(run).state == RunState::Pending, run);
        cluster().node(index).restoreLink();
        const qint64 kept = m_desk->checkpointOf(run);
        AWAIT_ON(hasGoneOn(run), run);
        AWAIT_ON(m_desk->ask(run).step > kept, run);
        QVERIFY2(!m_desk->history(run).contains("failed"), qPrintable(m_desk->lastWords(run)));
        MUST(stop(run));
        report.observed(m_desk->history(run));
    }

    /// Nobody knows what goes on there until the lease of its ranks is over: stop must not call that clean.
    void f44_stoppedWhileANodeIsCutOff()
    {
        ONLY_IN_LONG_RUNS();
        FaultReport report(44, "Slurm: stop while a node is cut off", "the node named, then clean");
        QString run;
        MUST(begin(m_desk->spec(), run));
        const QString head = cluster().jobField(m_desk->jobOf(run), "BatchHost");
        const int index = head == cluster().nodeName(0) ? 1 : 0;
        cluster().node(index).cutLink();
        report.injected("link of " + cluster().nodeName(index) + " down, then stop");
        QVERIFY(m_desk->finish(m_desk->service().stop(run)).isEmpty());
        const QString error = m_desk->error();
        cluster().node(index).restoreLink();
        QVERIFY2(error.startsWith("Slurm has lost " + cluster().nodeName(index)), qPrintable(error));
        QVERIFY(isFinal(m_desk->ask(run).state));
        QVERIFY(cluster().awaitIdle());
        MUST(stop(run));
        report.observed(error);
    }

    /// A watch that was killed comes again with the next desk, and knows what happened meanwhile.
    void f44_watchKilled()
    {
        FaultReport report(44, "Slurm: the watch on the login host killed, then scancel",
                           "the state is put right");
        QString first, waiting;
        MUST(begin(m_desk->spec(), first));
        RunSpec wholeNodes = m_desk->spec();
        wholeNodes.launch.threadsPerRank = 2;
        MUST(launch(wholeNodes, waiting));
        AWAIT_ON(m_desk->ask(waiting).reason.startsWith("queued"), waiting);
        const QByteArray pid = watchOf(waiting);
        QVERIFY(pid.toLongLong() > 1);
        QVERIFY(cluster().login().run({"kill", "-9", pid}).ok());
        report.injected("watch " + pid + " killed");
        const auto removed = m_desk->call({{"op", "remove-run"}, {"run", waiting}});
        QVERIFY(!removed.ok());
        QVERIFY2(removed.error().message.find("is PENDING") != std::string::npos,
                 removed.error().text().c_str());
        QVERIFY(cluster().slurm({"scancel", m_desk->jobOf(waiting)}).ok());
        AWAIT_ON(m_desk->ask(waiting).state == RunState::Stopped, waiting);
        report.observed(m_desk->ask(waiting).reason);
        MUST(stop(first));
    }

    void f44_watchCannotStart()
    {
        FaultReport report(44, "Slurm: no watch can start on the login host",
                           "the job goes on and is not taken for lost; a later desk has it watched");
        QString run;
        MUST(begin(m_desk->spec(), run));
        MUST(stop(run));
        const QString log = "/root/.trainyard/runs/" + run + "/queue.log";
        QVERIFY(cluster().login().run({"rm", log}).ok());
        QVERIFY(cluster().login().run({"mkdir", log}).ok());
        report.injected("a folder in the place of queue.log");
        QCOMPARE(m_desk->finish(m_desk->service().resume(run)), run);
        QVERIFY(watchOf(run).isEmpty());
        AWAIT_ON(m_desk->ask(run).attempt == 2 && m_desk->ask(run).state == RunState::Running, run);
        QVERIFY(cluster().login().run({"rmdir", log}).ok());
        AWAIT_ON(!m_desk->ask(run).id.isEmpty() && !watchOf(run).isEmpty(), run);
        MUST(stop(run));
        report.observed("ran as job " + m_desk->jobOf(run) + ", watched later");
    }

    void f44_folderNotShared()
    {
        FaultReport report(44, "Slurm: a node without the shared folder", "failed, the node named");
        LabHost& second = cluster().node(1);
        QVERIFY(second.mountDisk("/root/.trainyard/runs", "size=1m").isEmpty());
        const auto shared = qScopeGuard([&] { second.unmountDisk("/root/.trainyard/runs"); });
        report.injected("an empty disk over the runs of " + cluster().nodeName(1));
        QString run;
        MUST(launch(m_desk->spec(), run));
        AWAIT_ON(isFinal(m_desk->ask(run).state), run);
        const HostRun after = m_desk->ask(run);
        QCOMPARE(after.state, RunState::Failed);
        QVERIFY2(
            after.reason.contains("does not exist on " + cluster().nodeName(1)) ||
                after.reason.contains("must be on a file system that the nodes and the login host share"),
            qPrintable(after.reason));
        report.observed(after.reason);
    }

private:
    SlurmLab& cluster() { return m_desk->cluster(); }

    void launch(const RunSpec& spec, QString& run)
    {
        run = m_desk->finish(m_desk->service().launch(spec));
        QVERIFY2(!run.isEmpty(), qPrintable(m_desk->error()));
    }

    /// As launch(), and it has done some steps and kept a checkpoint.
    void begin(RunSpec spec, QString& run)
    {
        spec.checkpoint.everySteps = 20;
        MUST(launch(spec, run));
        AWAIT_ON(m_desk->checkpointOf(run) > 0, run);
    }

    void stop(const QString& run)
    {
        const QString job = m_desk->jobOf(run);
        QCOMPARE(m_desk->finish(m_desk->service().stop(run)), run);
        for (int index = 0; index < cluster().nodeCount(); ++index)
            QCOMPARE(m_desk->processesOf(run, index), 0);
        QCOMPARE(m_desk->ask(run).state, RunState::Stopped);
    }

    void resumeAndStop(const QString& run)
    {
        const qint64 kept = m_desk->checkpointOf(run);
        cluster().endRanksQuickly(true);
        QCOMPARE(m_desk->finish(m_desk->service().resume(run)), run);
        AWAIT_ON(firstStepOf(run, 2) > 0, run);
        QCOMPARE(firstStepOf(run, 2), kept + 1);
        QCOMPARE(m_desk->ask(run).attempt, 2);
        MUST(stop(run));
    }

    /// Whether a requeued job is at work again. It may have to wait for its begin time or not, and be
    /// requeued once more while a node is only coming back.
    bool hasGoneOn(const QString& run)
    {
        cluster().hurry(m_desk->jobOf(run));
        const HostRun now = m_desk->ask(run);
        return now.attempt > 1 && now.state == RunState::Running;
    }

    /// As if the job of `run` had had the number that the job of `other` has.
    bool giveNumberOf(const QString& other, const QString& run)
    {
        const QString runs = "/root/.trainyard/runs/";
        const QByteArray text = m_desk->fileOf(run, "slurm.json")
                                    .replace(('"' + m_desk->jobOf(run) + '"').toUtf8(),
                                             ('"' + m_desk->jobOf(other) + '"').toUtf8());
        return cluster().login().run({"tee", runs + run + "/slurm.json"}, text).ok();
    }

    qint64 firstStepOf(const QString& run, std::uint32_t attempt)
    {
        const QString file = cluster().login().path("/root/.trainyard/runs/" + run + "/journal/steps");
        const auto journal = readJournal(file.toStdString());
        for (const Record& record : journal.ok() ? journal->records : std::vector<Record>()) {
            const auto* step = std::get_if<StepRecord>(&record.payload);
            if (step && record.attempt == attempt)
                return step->step;
        }
        return 0;
    }

    /// The one process on the login host that holds the run's queue.lock.
    QByteArray watchOf(const QString& run)
    {
        return cluster()
            .login()
            .run({"sh", "-c",
                  "for p in /proc/[0-9]*; do tr '\\0' ' ' < $p/cmdline 2>/dev/null | "
                  "grep -q \"watch-job --run-dir [^ ]*/$1 $\" && echo ${p#/proc/} && break; done",
                  "sh", run})
            .output.simplified();
    }

    std::unique_ptr<SlurmDesk> m_desk;
};

QTEST_GUILESS_MAIN(TestSlurmFaults)
#include "tst_slurm_faults.moc"
