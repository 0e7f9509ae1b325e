#include <QScopeGuard>
#include <QTest>

#include "remote/stream/run_follower.h"
#include "tests/support/patience.h"
#include "tests/support/slurm_lab/slurm_desk.h"

using namespace trainyard;
using namespace trainyard::lab;

/// Runs on a Slurm cluster of two nodes, from a desk that reaches the login host alone.
class TestSlurm : public QObject {
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

    void submitsFollowsStopsAndResumes()
    {
        QString run;
        launch(m_desk->spec(), run);
        RunFollower follower(run, {login()}, m_desk->targets());
        qint64 step = 0;
        connect(&follower, &RunFollower::recordsArrived, &follower,
                [&](const QString&, const std::vector<Record>& records) {
                    for (const Record& record : records) {
                        if (const auto* done = std::get_if<StepRecord>(&record.payload))
                            step = done->step;
                    }
                });
        follower.start();
        AWAIT_ON(step > 5, run);
        for (int index = 0; index < m_desk->cluster().nodeCount(); ++index)
            QVERIFY2(m_desk->processesOf(run, index) > 0, qPrintable(m_desk->cluster().nodeName(index)));

        stop(run);
        QCOMPARE(atWork(run), QString("starting running stopping stopped"));
        const qint64 kept = m_desk->checkpointOf(run);
        QVERIFY(kept > 5);
        QCOMPARE(m_desk->ask(run).reason, QString("stopped by request: checkpoint at step %1").arg(kept));

        QCOMPARE(m_desk->finish(m_desk->service().resume(run)), run);
        AWAIT_ON(step > kept + 5, run);
        QCOMPARE(m_desk->ask(run).attempt, 2);
        stop(run);
        QCOMPARE(atWork(run), QString("starting running stopping stopped starting running stopping stopped"));
    }

    void waitsInTheQueueAndIsCancelledThere()
    {
        QString first, second;
        launch(m_desk->spec(), first);
        AWAIT_ON(m_desk->ask(first).step > 0, first);
        RunSpec wholeNodes = m_desk->spec();
        wholeNodes.launch.threadsPerRank = 2; // more than the first job leaves free
        launch(wholeNodes, second);
        const QString job = m_desk->jobOf(second);
        AWAIT_ON(m_desk->ask(second).reason.startsWith("queued as Slurm job " + job + ": "), second);
        QVERIFY2(m_desk->ask(second).reason.contains("Resources (waiting for free nodes)") ||
                     m_desk->ask(second).reason.contains("Priority"),
                 qPrintable(m_desk->ask(second).reason));
        QCOMPARE(m_desk->ask(second).state, RunState::Pending);

        QVERIFY(m_desk->finish(m_desk->service().resume(second)).isEmpty()); // it is at work, in its way
        QVERIFY2(m_desk->error().contains("still running"), qPrintable(m_desk->error()));
        stop(second);
        QCOMPARE(m_desk->history(second), QString("pending stopped"));
        QCOMPARE(m_desk->cluster().jobField(job, "JobState"), QString("CANCELLED"));
        stop(first);
    }

    void startsWhenItsTurnComes()
    {
        QString first, second;
        launch(m_desk->spec(), first);
        AWAIT_ON(m_desk->ask(first).step > 0, first);
        RunSpec wholeNodes = m_desk->spec();
        wholeNodes.launch.threadsPerRank = 2;
        launch(wholeNodes, second);
        AWAIT_ON(m_desk->ask(second).reason.startsWith("queued"), second);
        stop(first);
        AWAIT_ON(m_desk->ask(second).step > 0, second);
        stop(second);
        QCOMPARE(m_desk->history(second), QString("pending starting running stopping stopped"));
    }

    void startsOneRankAndFinishes()
    {
        RunSpec spec = m_desk->spec(1);
        spec.launch.steps = 5;
        QString run;
        launch(spec, run);
        AWAIT_ON(m_desk->ask(run).state == RunState::Finished, run);
        QCOMPARE(atWork(run), QString("starting running finished"));
        QVERIFY(m_desk->finish(m_desk->service().resume(run)).isEmpty());
        QVERIFY2(m_desk->error().contains("is finished"), qPrintable(m_desk->error()));
    }

    /// Where the nodes have no mpirun, srun starts the ranks.
    void startsRanksThroughSrun()
    {
        LabHost& first = m_desk->cluster().node(0);
        for (int index = 0; index < 2; ++index)
            QVERIFY(
                m_desk->cluster().node(index).run({"mount", "--bind", "/dev/null", "/usr/bin/mpirun"}).ok());
        RunSpec spec = m_desk->spec();
        spec.launch.steps = 20;
        QString run;
        launch(spec, run);
        AWAIT_ON(isFinal(m_desk->ask(run).state), run);
        for (int index = 0; index < 2; ++index)
            QVERIFY(m_desk->cluster().node(index).run({"umount", "/usr/bin/mpirun"}).ok());
        QVERIFY(first.run({"test", "-x", "/usr/bin/mpirun"}).ok());
        QCOMPARE(m_desk->ask(run).state, RunState::Finished);
        const QByteArray request = m_desk->fileOf(run, "attempts/0001.json");
        QVERIFY2(request.contains("\"starter\": \"pmi"), request.constData());
    }

    /// Another job has the first GPU of the first node, so that the ranks of the two nodes get different
    /// ones.
    void requestsGpusWithAutoWhereThereAreSome()
    {
        QString other;
        takeGpuOfFirstNode(other);
        const auto freed = qScopeGuard([&] { m_desk->cluster().slurm({"scancel", other}); });
        RunSpec spec = m_desk->spec();
        spec.launch.device = DeviceKind::Auto;
        QString run;
        launch(spec, run);
        const QString requested = m_desk->cluster().jobField(m_desk->jobOf(run), "TresPerNode");
        QVERIFY2(requested.endsWith("gpu:1"), qPrintable(requested));
        AWAIT_ON(m_desk->ask(run).step > 0, run);
        QCOMPARE(m_desk->devicesOf(run, 0), QByteArrayList{"1"});
        QCOMPARE(m_desk->devicesOf(run, 1), QByteArrayList{"0"});
        const QByteArray log = m_desk->fileOf(run, "ranks/0000.log"); // no device answers to the name
        QVERIFY2(log.contains("ranks compute on the processor: "), log.constData());
        stop(run);
    }

    void refusesMoreGpusThanNodesHave()
    {
        RunSpec spec = m_desk->spec();
        spec.launch.device = DeviceKind::Cuda;
        for (NodeSpec& node : spec.cluster.nodes)
            node.slotCount = 3;
        spec.layout.data = 6;
        spec.batch = {24, 4, 1};
        QVERIFY(m_desk->finish(m_desk->service().launch(spec)).isEmpty());
        QVERIFY2(m_desk->error().contains("requests 3 GPUs on each of 2 nodes"), qPrintable(m_desk->error()));
    }

    void refusesBeforeAnythingIsSent_data()
    {
        QTest::addColumn<QString>("partition");
        QTest::addColumn<QString>("constraint");
        QTest::addColumn<int>("minutes");
        QTest::addColumn<int>("nodes");
        QTest::addColumn<QString>("words");
        QTest::newRow("partition") << "mian"
                                   << "" << 0 << 2
                                   << "no partition mian — launch.slurm.partition can be main";
        QTest::newRow("nodes") << ""
                               << "" << 0 << 3
                               << "requests 3 nodes, but Slurm's partition main allows at most 2";
        QTest::newRow("nodes of another") << "short"
                                          << "" << 0 << 2 << "short allows at most 1";
        QTest::newRow("time") << ""
                              << "" << 61 << 2 << "time_limit is 1 h 1 min, but Slurm's partition main";
        QTest::newRow("feature") << ""
                                 << "a100" << 0 << 2
                                 << "Invalid feature specification — launch.slurm.constraint";
    }
    void refusesBeforeAnythingIsSent()
    {
        QFETCH(QString, partition);
        QFETCH(QString, constraint);
        QFETCH(int, minutes);
        QFETCH(int, nodes);
        QFETCH(QString, words);
        RunSpec spec = m_desk->spec(nodes);
        spec.launch.slurm.partition = partition.toStdString();
        spec.launch.slurm.constraint = constraint.toStdString();
        spec.launch.slurm.timeLimit = std::chrono::minutes(minutes);
        QVERIFY(m_desk->finish(m_desk->service().launch(spec)).isEmpty());
        QVERIFY2(m_desk->error().contains(words), qPrintable(m_desk->error()));
    }

    void refusesAHostWithoutSlurm()
    {
        LabHost& login = m_desk->cluster().login();
        QVERIFY(login.run({"mount", "--bind", "/dev/null", "/usr/bin/scontrol"}).ok());
        const QString run = m_desk->finish(m_desk->service().launch(m_desk->spec()));
        QVERIFY(login.run({"umount", "/usr/bin/scontrol"}).ok());
        QVERIFY(run.isEmpty());
        QVERIFY2(m_desk->error().contains("there is no scontrol on node1"), qPrintable(m_desk->error()));
    }

private:
    /// Its states but for those in the queue, which a job that starts at once may have left before anybody
    /// looked.
    QString atWork(const QString& run) { return m_desk->history(run).remove("pending "); }
    QString login() { return m_desk->cluster().login().address(); }

    void launch(const RunSpec& spec, QString& run)
    {
        run = m_desk->finish(m_desk->service().launch(spec));
        QVERIFY2(!run.isEmpty(), qPrintable(m_desk->error()));
    }

    void takeGpuOfFirstNode(QString& job)
    {
        const Finished submitted =
            m_desk->cluster().slurm({"sbatch", "--parsable", "--output=/dev/null", "--gres=gpu:1",
                                     "--nodelist=" + m_desk->cluster().nodeName(0), "--wrap=exec sleep 600"});
        QVERIFY2(submitted.ok(), submitted.errors.constData());
        job = submitted.output.simplified();
        AWAIT(m_desk->cluster().jobField(job, "JobState") == "RUNNING");
    }

    void stop(const QString& run)
    {
        const QString job = m_desk->jobOf(run);
        QCOMPARE(m_desk->finish(m_desk->service().stop(run)), run);
        QVERIFY(
            m_desk->cluster().slurm({"squeue", "--noheader", "--jobs=" + job}).output.trimmed().isEmpty());
        for (int index = 0; index < m_desk->cluster().nodeCount(); ++index)
            QCOMPARE(m_desk->processesOf(run, index), 0);
        QVERIFY(isFinal(m_desk->ask(run).state));
    }

    std::unique_ptr<SlurmDesk> m_desk;
};

QTEST_GUILESS_MAIN(TestSlurm)
#include "tst_slurm.moc"
