#include <csignal>

#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QSet>
#include <QTest>

#include "engine/records/journal.h"
#include "tests/integration/cli_fixture.h"
#include "tests/support/patience.h"

using namespace trainyard;
using namespace trainyard::test;

namespace {

/// Losses by step as the run's own journal has them; a step of a later attempt replaces the earlier one.
std::map<qint64, double> lossesOf(const QString& runFolder)
{
    std::map<qint64, double> losses;
    const auto journal = readJournal((runFolder + "/journal/steps").toStdString());
    if (!journal.ok())
        return losses;
    for (const Record& record : journal->records) {
        if (const auto* step = std::get_if<StepRecord>(&record.payload))
            losses[step->step] = step->loss;
    }
    return losses;
}

/// What the newest event of a stalled rank says.
QString lastStall(const QString& runFolder)
{
    QString text;
    const auto journal = readJournal((runFolder + "/journal/run").toStdString());
    if (!journal.ok())
        return text;
    for (const Record& record : journal->records) {
        const auto* event = std::get_if<EventRecord>(&record.payload);
        if (event && event->kind == "rank-stalled")
            text = QString::fromStdString(event->message);
    }
    return text;
}

/// Processes of ours that carry the run's mark, as the agent sets it.
QList<qint64> processesOf(const QString& runId)
{
    QList<qint64> pids;
    for (const QString& entry : QDir("/proc").entryList(QDir::Dirs)) {
        QFile environment("/proc/" + entry + "/environ");
        if (entry.toLongLong() > 0 && environment.open(QIODevice::ReadOnly) &&
            environment.readAll().split('\0').contains("TRAINYARD_RUN=" + runId.toUtf8()))
            pids << entry.toLongLong();
    }
    return pids;
}

/// Pids of the run's workers: those whose command line names the worker.
QList<qint64> workersOf(const QString& runId)
{
    QList<qint64> workers;
    for (const qint64 pid : processesOf(runId)) {
        QFile command(QString("/proc/%1/cmdline").arg(pid));
        if (command.open(QIODevice::ReadOnly) &&
            command.readAll().split('\0').value(0).endsWith("trainyard-worker"))
            workers << pid;
    }
    return workers;
}

} // namespace

class TestLifeOfARun : public QObject {
    Q_OBJECT

private slots:
    void initTestCase()
    {
        QString why;
        QVERIFY2(m_cli.makeDataset(&why), qPrintable(why));
    }

    void trainsTheSameOnOneAndTwoRanks()
    {
        const auto one = finishedRun(tinySpec(m_cli.dataset(), 1, 12));
        const auto two = finishedRun(tinySpec(m_cli.dataset(), 2, 12));
        QCOMPARE(one.size(), std::size_t(12));
        QCOMPARE(two.size(), std::size_t(12));
        for (const auto& [step, loss] : one)
            QVERIFY2(std::abs(two.at(step) - loss) < 2e-5 * loss, qPrintable(QString::number(step)));
    }

    void recordsThePassesAndCollectivesOfItsRanks()
    {
        const QString runId = launched(tinySpec(m_cli.dataset(), 2, 10'000'000));
        AWAIT(lossesOf(runFolder(runId)).size() >= 3);
        const CliResult traced =
            m_cli.run({"trace", runId, "--steps", "2", "--out", m_cli.path("trace.json")});
        QCOMPARE(m_cli.run({"stop", "--now", runId}).status, 0);
        QVERIFY2(traced.status == 0, qPrintable(traced.err));
        QFile file(m_cli.path("trace.json"));
        QVERIFY(file.open(QIODevice::ReadOnly));
        QSet<int> ranks, computing;
        for (const auto& value :
             QJsonDocument::fromJson(file.readAll()).object().value("traceEvents").toArray()) {
            const QJsonObject event = value.toObject();
            if (event["name"].toString().startsWith("all-reduce"))
                ranks.insert(event["pid"].toInt());
            if (event["name"].toString() == QLatin1String("forward 0"))
                computing.insert(event["pid"].toInt());
        }
        QCOMPARE(ranks, QSet<int>({0, 1}));
        QCOMPARE(computing, ranks);
        const CliResult over = m_cli.run({"trace", runId, "--out", m_cli.path("late.json")});
        QCOMPARE(over.status, 3);
        QVERIFY(!QFile::exists(m_cli.path("late.json")));
    }

    void goesOnAfterAKilledWorkerAsIfNothingHadHappened()
    {
        RunSpec spec = tinySpec(m_cli.dataset(), 2, 300);
        std::map<qint64, double> unbroken;
        QString runId;
        failedBesideAnUnbrokenOne(spec, unbroken, runId);

        const CliResult resumed = m_cli.run({"resume", runId, "--follow"});
        QVERIFY2(resumed.status == 0, qPrintable(resumed.err));
        tellsTheSecondAttemptAlone(resumed.err);
        const CliResult again = m_cli.run({"resume", runId});
        QCOMPARE(again.status, 3);
        QVERIFY2(again.err.contains("is finished"), qPrintable(again.err));
        QCOMPARE(processesOf(runId), QList<qint64>());
        const auto losses = lossesOf(runFolder(runId));
        QCOMPARE(losses.size(), unbroken.size());
        for (const auto& [step, loss] : unbroken)
            QCOMPARE(losses.at(step), loss);
    }

    void goesOnByItselfFromTheLastCheckpoint()
    {
        RunSpec spec = tinySpec(m_cli.dataset(), 2, 300);
        spec.precision.compute = ComputeType::Float64;
        const auto unbroken = unbrokenRun(spec);
        spec.checkpoint.everySteps = 5;
        spec.launch.restart.backoff = std::chrono::milliseconds(100);
        QString runId;
        brokenByAKill(spec, runId);
        AWAIT_EQUAL(lossesOf(runFolder(runId)).size(), unbroken.size());
        AWAIT(processesOf(runId).isEmpty());
        const auto losses = lossesOf(runFolder(runId));
        for (const auto& [step, loss] : unbroken)
            QCOMPARE(losses.at(step), loss);
    }

    void goesOnInAnotherLayout()
    {
        RunSpec spec = tinySpec(m_cli.dataset(), 2, 303);
        std::map<qint64, double> unbroken;
        QString runId;
        failedBesideAnUnbrokenOne(spec, unbroken, runId);

        RunSpec other = spec;
        other.layout = {.data = 1, .tensor = 2};
        other.batch = {16, 8, 2};
        const CliResult refused =
            m_cli.run({"resume", runId, "--layout", m_cli.writeSpec("larger.json", other)});
        QCOMPARE(refused.status, 3);
        QVERIFY2(refused.err.contains("batch.global is 16, and the run has 8"), qPrintable(refused.err));
        other.batch = {8, 4, 2};
        const CliResult resumed =
            m_cli.run({"resume", runId, "--layout", m_cli.writeSpec("deep.json", other), "--follow"});
        QVERIFY2(resumed.status == 0, qPrintable(resumed.err));
        QVERIFY2(resumed.err.contains("layout.data 1, layout.tensor 2"), qPrintable(resumed.err));
        QCOMPARE(resumed.err.count("step 303/303"), 1);
        QVERIFY(resumed.err.indexOf("step 303/303") < resumed.err.indexOf("has finished"));
        QVERIFY(QFile::exists(m_cli.path("desk/runs/" + runId + "/attempts/0002.json")));
        const auto losses = lossesOf(runFolder(runId));
        QCOMPARE(losses.size(), unbroken.size());
        for (const auto& [step, loss] : unbroken) // sums of halves, rounded otherwise
            QVERIFY2(std::abs(losses.at(step) - loss) < 1e-9 * loss, qPrintable(QString::number(step)));
    }

    void namesARankThatWasSuspended()
    {
        const QString runId = launched(tinySpec(m_cli.dataset(), 2, 100'000));
        AWAIT(lossesOf(runFolder(runId)).size() >= 3);
        const QList<qint64> workers = workersOf(runId);
        QCOMPARE(workers.size(), 2);
        QElapsedTimer timer;
        timer.start();
        QCOMPARE(::kill(static_cast<pid_t>(workers.first()), SIGSTOP), 0);
        AWAIT(lastStall(runFolder(runId))
                  .contains(QString("is suspended: its process %1").arg(workers.first())));
        qInfo("named after %lld ms", timer.elapsed()); // on a machine that is not busy within 5 s
        QCOMPARE(::kill(static_cast<pid_t>(workers.first()), SIGCONT), 0);
        const auto steps = lossesOf(runFolder(runId)).size();
        AWAIT(lossesOf(runFolder(runId)).size() > steps);
        QCOMPARE(m_cli.run({"stop", "--now", runId}).status, 0);
        QCOMPARE(processesOf(runId), QList<qint64>());
    }

    void stopsWithACheckpointAndLeavesNoProcess()
    {
        RunSpec spec = tinySpec(m_cli.dataset(), 2, 100'000);
        const QString runId = launched(spec);
        AWAIT(lossesOf(runFolder(runId)).size() >= 3);
        const CliResult stopped = m_cli.run({"stop", runId});
        QVERIFY2(stopped.status == 0, qPrintable(stopped.err));
        QCOMPARE(processesOf(runId), QList<qint64>());
        QVERIFY2(stopped.err.contains("stopped at step") && stopped.err.contains("no process is left"),
                 qPrintable(stopped.err));
        QVERIFY(QFile::exists(runFolder(runId) + "/checkpoints/latest"));
        const CliResult again = m_cli.run({"stop", runId});
        QVERIFY2(again.status == 0, qPrintable(again.err));
        QVERIFY2(again.err.contains("had already ended: it was stopped at step"), qPrintable(again.err));
    }

    void publishesACheckpointWhenAskedAndGoesOn()
    {
        RunSpec spec = tinySpec(m_cli.dataset(), 2, 100'000);
        spec.checkpoint.everySteps = 0; // none of its own accord
        const QString runId = launched(spec);
        const QString latest = runFolder(runId) + "/checkpoints/latest";
        AWAIT(lossesOf(runFolder(runId)).size() >= 3);
        QVERIFY(!QFile::exists(latest));
        const CliResult asked = m_cli.run({"checkpoint", runId});
        QVERIFY2(asked.status == 0, qPrintable(asked.err));
        AWAIT(QFile::exists(latest));
        const auto steps = lossesOf(runFolder(runId)).size();
        AWAIT(lossesOf(runFolder(runId)).size() > steps + 3);
        QCOMPARE(m_cli.run({"stop", "--now", runId}).status, 0);
        const CliResult late = m_cli.run({"checkpoint", runId});
        QCOMPARE(late.status, 3);
        QVERIFY2(late.err.contains("not running"), qPrintable(late.err));
    }

private:
    /// As `resume --follow` printed it: steps in order, nothing of the attempt that was killed.
    static void tellsTheSecondAttemptAlone(const QString& told)
    {
        const auto at = [&](const QString& text) { return told.indexOf(text); };
        QVERIFY2(at("attempt 2") >= 0 && !told.contains("failed"), qPrintable(told));
        QVERIFY2(at("is running") > at("attempt 2") && at("step 300/300") > at("is running") &&
                     at("has finished") > at("step 300/300"),
                 qPrintable(told));
        QCOMPARE(told.count("step 300/300"), 1);
        QVERIFY2(!told.contains("step 1/300"), qPrintable(told));
    }
    QString runFolder(const QString& runId) const { return m_cli.path("home/runs/" + runId); }

    QString launched(const RunSpec& spec)
    {
        const CliResult result = m_cli.run({"launch", m_cli.writeSpec("spec.json", spec)});
        if (result.status != 0)
            qWarning("%s", qPrintable(result.err));
        return result.out.trimmed();
    }

    /// Launches it and kills one of its two workers after some steps; once more when it was over before that.
    void brokenByAKill(const RunSpec& spec, QString& runId)
    {
        for (bool broken = false; !broken;) {
            runId = launched(spec);
            AWAIT(lossesOf(runFolder(runId)).size() >= 12);
            const QList<qint64> workers = workersOf(runId);
            broken = workers.size() == 2 && ::kill(static_cast<pid_t>(workers.last()), SIGKILL) == 0 &&
                     lossesOf(runFolder(runId)).size() < std::size_t(spec.launch.steps);
            AWAIT(broken || processesOf(runId).isEmpty());
        }
    }

    /// The losses of a run in float64 to its end, and one of the same that failed and is resumed by hand.
    void failedBesideAnUnbrokenOne(RunSpec& spec, std::map<qint64, double>& unbroken, QString& runId)
    {
        spec.precision.compute = ComputeType::Float64;
        unbroken = unbrokenRun(spec);
        spec.checkpoint.everySteps = 5;
        spec.launch.restart.limit = 0;
        brokenByAKill(spec, runId);
        AWAIT(processesOf(runId).isEmpty());
        AWAIT(m_cli.run({"runs", "--json"}).out.contains("\"failed\""));
    }

    /// Of the specifications that the tests begin with, which differ in their steps alone: each runs once.
    const std::map<qint64, double>& unbrokenRun(const RunSpec& spec)
    {
        auto& losses = m_unbroken[spec.launch.steps];
        if (losses.empty())
            losses = finishedRun(spec);
        return losses;
    }

    std::map<qint64, double> finishedRun(const RunSpec& spec)
    {
        const CliResult result = m_cli.run({"launch", m_cli.writeSpec("spec.json", spec), "--follow"});
        if (result.status != 0)
            qWarning("%s", qPrintable(result.err));
        return lossesOf(runFolder(result.out.trimmed()));
    }

    CliFixture m_cli;
    std::map<qint64, std::map<qint64, double>> m_unbroken; ///< losses by steps of the specification
};

QTEST_GUILESS_MAIN(TestLifeOfARun)
#include "tst_life_of_a_run.moc"
