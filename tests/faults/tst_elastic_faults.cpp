#include <algorithm>
#include <cmath>
#include <map>

#include <QElapsedTimer>
#include <QTemporaryDir>

#include "engine/records/journal.h"
#include "tests/faults/supervised_run.h"
#include "tests/support/faults/fault_report.h"
#include "tests/support/lab/small_data_set.h"
#include "tests/support/patience.h"
#include "tests/support/row_sample.h"

#include <QTest>

using namespace trainyard;
using namespace trainyard::agent;
using nlohmann::json;
using std::chrono::milliseconds;

namespace {

const RestartSpec kElastic{.limit = 8, .backoff = milliseconds(300), .elastic = true};
/// A node's ranks end soon after a cut, and the head looks for it often.
const json kQuick{{"lease_ms", 5000}, {"look_for_hosts_ms", 1000}};
const QString kPrograms = lab::seenInHosts(TRAINYARD_FAKE_PROGRAMS);
const QString kData = "/root/data";

/// Three ranks take 48 sequences in two rounds of 8 each, two ranks in three.
RunSpec elasticSpec(const lab::NetnsLab& lab)
{
    RunSpec spec = SupervisedRun::plainSpec(lab, kElastic);
    spec.batch = {48, 8, 2};
    return spec;
}

struct LoggedStep {
    std::uint32_t attempt = 0;
    StepRecord record;
};

std::vector<LoggedStep> stepsOf(const SupervisedRun& run)
{
    std::vector<LoggedStep> steps;
    const auto journal = readJournal(run.folder().journal() / "steps");
    for (const Record& record : journal.ok() ? journal->records : std::vector<Record>{}) {
        if (const auto* step = std::get_if<StepRecord>(&record.payload))
            steps.push_back({record.attempt, *step});
    }
    return steps;
}

/// The loss of each step as the run has it in the end: what a later attempt computed again counts.
std::map<std::int64_t, double> lossCurve(const SupervisedRun& run)
{
    std::map<std::int64_t, double> losses;
    for (const LoggedStep& step : stepsOf(run))
        losses[step.record.step] = step.record.loss;
    return losses;
}

double largestDifference(const std::map<std::int64_t, double>& a, const std::map<std::int64_t, double>& b)
{
    double largest = 0;
    for (const auto& [step, loss] : a)
        largest =
            std::max(largest, b.contains(step) ? std::abs(b.at(step) - loss) / std::abs(loss) : INFINITY);
    return largest;
}

} // namespace

/// What becomes of an elastic run on three hosts with real ssh and mpirun when one leaves and returns: it
/// goes on without it, and with it again, and a host that is of no use does not end it.
class TestElasticFaults : public QObject {
    Q_OBJECT

private slots:
    void initTestCase()
    {
        if (const QString why = lab::NetnsLab::whyNot(); !why.isEmpty())
            QSKIP(qPrintable(why));
        m_lab = std::make_unique<lab::NetnsLab>(lab::NetnsLab::Options{3, "128m", {}});
        const QString trouble = m_lab->start();
        QVERIFY2(trouble.isEmpty(), qPrintable(trouble));
        m_lab->trustHosts();
        QVERIFY(
            lab::runCommand({"cp", m_lab->knownHosts(), m_lab->host(0).path("/root/.ssh/known_hosts")}).ok());
    }
    void cleanupTestCase() { m_lab.reset(); }
    /// What a failed test left on the host goes with a boot.
    void cleanup()
    {
        if (QTest::currentTestFailed())
            m_lab->host(2).reboot();
    }

    void f03_hostCutOffAndBack()
    {
        FaultReport report(
            3, "link cut for longer than a node's lease",
            "an elastic run goes on without the host, and takes it in again after a checkpoint");
        SupervisedRun run(*m_lab, elasticSpec(*m_lab), TRAINYARD_FAKE_PROGRAMS);
        MUST(shrinkTo2(run, report, Noticing::BySilence));
        m_lab->host(2).restoreLink();
        AWAIT(hasWorld(run, 3, 3));
        QCOMPARE(run.events("hosts-returned").size(), 1);
        const std::int64_t start = firstStepOf(run, 3);
        const std::int64_t reached = lastStepOf(run, 2);
        QVERIFY(start > 1); // this run keeps no checkpoint unless it is asked to
        QVERIFY(reached + 1 >= start);
        QVERIFY2(run.events("attempt-started")
                     .last()
                     .endsWith(QString("from the checkpoint of step %1").arg(start - 1)),
                 qPrintable(run.events("attempt-started").last()));
        endCleanly(run);
        report.observed(QString("%1; taken in again %2 steps after the checkpoint")
                            .arg(run.events("hosts-returned").first())
                            .arg(reached + 1 - start));
    }

    void f37_returnedHostThatCannotCarryRanks_data()
    {
        QTest::addColumn<int>("number");
        QTest::addColumn<QString>("fault");
        QTest::addColumn<QString>("harm"); // on the host, by its shell; $run is the run's folder
        QTest::addColumn<QString>("mend");
        QTest::addColumn<QString>("trouble");
        QTest::addRow("programs gone") << 54 << "missing library, old glibc, wrong driver"
                                       << "mount -t tmpfs -o size=1m lab " + kPrograms
                                       << "umount -l " + kPrograms << "there is no program";
        QTest::addRow("run's folder read-only") << 37 << "read-only, noexec, no permission"
                                                << "mount --bind $run $run && mount -o remount,bind,ro $run"
                                                << "umount -l $run"
                                                << "Read-only file system";
        QTest::addRow("orted does not start")
            << 43 << "orted or mpirun killed"
            << "printf '#!/bin/sh\\nexit 127\\n' > /tmp/broken && chmod +x /tmp/broken && "
               "mount --bind /tmp/broken $(readlink -f $(command -v orted))"
            << "umount -l $(readlink -f $(command -v orted)) && rm /tmp/broken"
            << "orted does not start";
    }
    void f37_returnedHostThatCannotCarryRanks()
    {
        QFETCH(int, number);
        QFETCH(QString, fault);
        QFETCH(QString, harm);
        QFETCH(QString, mend);
        QFETCH(QString, trouble);
        FaultReport report(number, fault,
                           "a host that answers and cannot carry ranks does not disturb the run");
        SupervisedRun run(*m_lab, elasticSpec(*m_lab), TRAINYARD_FAKE_PROGRAMS);
        MUST(shrinkTo2(run, report));
        const QString folder = "run=/root/.trainyard/runs/" + QString::fromStdString(run.folder().run());
        const auto harmed = m_lab->host(2).run({"env", folder, "sh", "-c", harm});
        QVERIFY2(harmed.ok(), harmed.errors.constData());
        report.injected(QTest::currentDataTag());
        m_lab->host(2).restoreLink();
        AWAIT(run.events("hosts-away").last().contains(" cannot run ranks: "));
        const QString said = run.events("hosts-away").last();
        QVERIFY2(said.contains(trouble), qPrintable(said));
        const std::int64_t then = lastStepOf(run, 2);
        AWAIT(lastStepOf(run, 2) > then + 100);
        QVERIFY(run.isRunning(2));
        QVERIFY(m_lab->host(2).run({"env", folder, "sh", "-c", mend}).ok());
        AWAIT(hasWorld(run, 3, 3));
        endCleanly(run);
        report.observed(said);
    }

    void f40_returnedHostWhoseRanksFail()
    {
        FaultReport report(
            40, "one rank killed, SEGV, exit 1, abort",
            "the run goes on without the host whose ranks fail, and leaves it alone for longer");
        SupervisedRun run(*m_lab, elasticSpec(*m_lab), TRAINYARD_FAKE_PROGRAMS);
        MUST(shrinkTo2(run, report));
        const QString worker = kPrograms + "/trainyard-worker";
        const QString harm = "printf '#!/bin/sh\\nkill -SEGV $$\\n' > /tmp/broken && chmod +x /tmp/broken && "
                             "mount --bind /tmp/broken " +
                             worker;
        QVERIFY(m_lab->host(2).run({"sh", "-c", harm}).ok());
        report.injected("every rank of node3 dies of SIGSEGV");
        m_lab->host(2).restoreLink();
        AWAIT(hasWorld(run, 4, 2));
        const QStringList left = run.events("hosts-left-alone");
        QVERIFY(m_lab->host(2).run({"sh", "-c", "umount -l " + worker + " && rm /tmp/broken"}).ok());
        QCOMPARE(left,
                 QStringList{m_lab->host(2).address() + " not retried for 2.00 s: with it attempt 3 failed"});
        AWAIT(hasWorld(run, 5, 3));
        endCleanly(run);
        report.observed(left.first());
    }

    void f03_headIsBackBeforeTheOthers()
    {
        FaultReport report(
            3, "link cut for longer than a node's lease",
            "two hosts without power, the head among them: the run goes on with those that are back");
        RunSpec spec = elasticSpec(*m_lab);
        spec.launch.restart.afterReboot = true;
        SupervisedRun run(*m_lab, spec, TRAINYARD_FAKE_PROGRAMS);
        QCOMPARE(run.launch(kQuick), QString());
        AWAIT(hasWorld(run, 1, 3));
        for (const int host : {0, 2}) {
            m_lab->host(host).powerOff();
            run.forgetAgent(host);
        }
        report.injected("node1 and node3 without power");
        QCOMPARE(m_lab->host(0).powerOn(), QString());
        const auto revived =
            m_lab->host(0).run({lab::seenInHosts(TRAINYARD_AGENT), "revive", "--root", "/root/.trainyard"});
        QCOMPARE(revived.output.trimmed(), QByteArray::fromStdString(run.folder().run()));
        AWAIT(hasWorld(run, 2, 2));
        QCOMPARE(m_lab->host(2).powerOn(), QString());
        AWAIT(hasWorld(run, 3, 3));
        endCleanly(run);
        report.observed(run.events("attempt-started").value(1));
    }

    /// With the real worker, in float64: nothing but the order of sums may differ (engine/certification). Each
    /// host has a disk of its own; with ZeRO the lost host's part of the checkpoint is on its neighbour.
    void f03_hostWithoutPowerAndTheLossGoesOn_data()
    {
        QTest::addColumn<int>("zeroStage");
        QTest::addRow("ZeRO 2") << 2;
        if (support::RowSample(2).has("every rank holds all"))
            QTest::addRow("every rank holds all") << 0;
    }
    void f03_hostWithoutPowerAndTheLossGoesOn()
    {
        QFETCH(int, zeroStage);
        FaultReport report(3, "link cut for longer than a node's lease",
                           "host without power, and back: the loss curve is that of an undisturbed run");
        MUST(makeDataOnHosts());
        std::map<std::int64_t, double> curve;
        {
            SupervisedRun run(*m_lab, trainingSpec(zeroStage), TRAINYARD_BIN_DIR);
            QCOMPARE(run.launch(kQuick), QString());
            AWAIT(lastStepOf(run, 1) >= 25);
            m_lab->host(2).powerOff();
            run.forgetAgent(2);
            report.injected("node3 without power");
            AWAIT(hasWorld(run, 2, 2) && firstStepOf(run, 2) > 0);
            QCOMPARE(firstStepOf(run, 2) % 10, 1); // after a checkpoint of the run's own
            QCOMPARE(m_lab->host(2).powerOn(), QString());
            AWAIT(hasWorld(run, 3, 3) && lastStepOf(run, 3) >= firstStepOf(run, 3) + 20);
            report.observed(QString("2 ranks from step %1, 3 ranks from step %2")
                                .arg(firstStepOf(run, 2))
                                .arg(firstStepOf(run, 3)));
            endCleanly(run);
            curve = lossCurve(run);
        }
        SupervisedRun undisturbed(*m_lab, trainingSpec(zeroStage), TRAINYARD_BIN_DIR);
        QCOMPARE(undisturbed.launch(kQuick), QString());
        AWAIT(lastStepOf(undisturbed, 1) >= curve.rbegin()->first);
        endCleanly(undisturbed);
        const double difference = largestDifference(curve, lossCurve(undisturbed));
        report.observed(
            QString("losses of %1 steps: largest relative difference %2").arg(curve.size()).arg(difference));
        QVERIFY2(difference < 1e-9, qPrintable(QString::number(difference)));
    }

private:
    void makeDataOnHosts()
    {
        const QTemporaryDir made;
        const QString trouble = lab::makeSmallDataSet(made.filePath("data"));
        QVERIFY2(trouble.isEmpty(), qPrintable(trouble));
        for (int host = 0; host < m_lab->hostCount(); ++host)
            QVERIFY(lab::runCommand({"cp", "-rT", made.filePath("data"), m_lab->host(host).path(kData)}).ok());
    }
    RunSpec trainingSpec(int zeroStage) const
    {
        RunSpec spec = elasticSpec(*m_lab);
        spec.model.layers = 2;
        spec.model.hidden = 64;
        spec.model.heads = 2;
        spec.model.intermediate = 128;
        spec.model.maxPositions = 64;
        spec.model.vocabulary = lab::vocabularySizeOf(m_lab->host(0).path(kData));
        spec.precision.compute = ComputeType::Float64;
        spec.memory.zeroStage = zeroStage;
        spec.checkpoint.everySteps = 10;
        spec.dataset.path = kData.toStdString();
        return spec;
    }
    static bool hasWorld(const SupervisedRun& run, std::uint32_t attempt, int ranks)
    {
        const QStringList worlds = run.events("attempt-started");
        return run.isRunning(attempt) && !worlds.isEmpty() &&
               worlds.last().startsWith(QString("attempt %1 with %2 ranks on ").arg(attempt).arg(ranks));
    }
    static std::int64_t firstStepOf(const SupervisedRun& run, std::uint32_t attempt)
    {
        const auto steps = stepsOf(run);
        const auto found = std::ranges::find(steps, attempt, &LoggedStep::attempt);
        return found == steps.end() ? 0 : found->record.step;
    }
    static std::int64_t lastStepOf(const SupervisedRun& run, std::uint32_t attempt)
    {
        std::int64_t last = 0;
        for (const LoggedStep& step : stepsOf(run)) {
            if (step.attempt == attempt)
                last = step.record.step;
        }
        return last;
    }

    enum class Noticing { BySilence, AtOnce };

    /// Starts the run on all three and cuts the last one off; the run goes on on two.
    void shrinkTo2(SupervisedRun& run, FaultReport& report, Noticing noticing = Noticing::AtOnce)
    {
        QCOMPARE(run.launch(kQuick), QString());
        AWAIT(hasWorld(run, 1, 3));
        AWAIT(run.processes(2, "trainyard-worker").size() == 1);
        m_lab->host(2).cutLink();
        report.injected("interface of node3 down");
        if (noticing == Noticing::AtOnce)
            run.tellHeadOfLoss(2);
        AWAIT(hasWorld(run, 2, 2));
        AWAIT(run.processes(2, "trainyard-worker").isEmpty());
        QCOMPARE(run.processes(1, "trainyard-worker").size(), 1);
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

QTEST_GUILESS_MAIN(TestElasticFaults)
#include "tst_elastic_faults.moc"
