// A run on this machine whose checkpoints come to harm: what `resume`, the supervisor's own restarts and
// `checkpoints` make of it, with real ranks. Losses in float64 are held against those of the first attempt.
#include <csignal>
#include <filesystem>
#include <fstream>
#include <map>

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTest>

#include "engine/records/journal.h"
#include "tests/integration/cli_fixture.h"
#include "tests/support/checkpoint/folder_state.h"
#include "tests/support/patience.h"

using namespace trainyard;
using namespace trainyard::test;

namespace fs = std::filesystem;

namespace {

constexpr double kLossTolerance = 1e-9;

template <typename Record, typename Use>
void forEach(const fs::path& stream, Use use)
{
    const auto journal = readJournal(stream);
    if (!journal.ok())
        return;
    for (const trainyard::Record& record : journal->records) {
        if (const auto* one = std::get_if<Record>(&record.payload))
            use(*one, record);
    }
}

} // namespace

class TestCheckpointRecovery : public QObject {
    Q_OBJECT

private slots:
    /// A run that was stopped with some checkpoints.
    void initTestCase()
    {
        QString why;
        QVERIFY2(m_cli.makeDataset(&why), qPrintable(why));
        RunSpec spec = tinySpec(m_cli.dataset(), 2, 10'000'000);
        spec.precision.compute = ComputeType::Float64;
        spec.checkpoint.everySteps = 4;
        spec.checkpoint.keepLast = 3;
        spec.launch.restart.limit = 3;
        spec.launch.restart.backoff = std::chrono::milliseconds(100);
        const CliResult launched = m_cli.run({"launch", m_cli.writeSpec("spec.json", spec)});
        QVERIFY2(launched.status == 0, qPrintable(launched.err));
        m_run = launched.out.trimmed();
        AWAIT(lossesOf(1).size() >= 14);
        stop();
        m_undisturbed = lossesOf(1);
    }

    void listsWhatIsThere()
    {
        const QList<QJsonObject> all = checkpoints();
        QCOMPARE(all.size(), 3);
        qint64 before = all.first()["step"].toInteger() + 1;
        for (const QJsonObject& one : all) {
            QCOMPARE(one["state"].toString(), QString("whole"));
            QVERIFY(one["verified"].toBool());
            QVERIFY(one["bytes"].toInteger() > 0);
            QVERIFY(one["step"].toInteger() < before);
            before = one["step"].toInteger();
        }
        QVERIFY(all.first()["latest"].toBool());
        const CliResult table = m_cli.run({"checkpoints", m_run});
        QVERIFY2(table.out.contains("used by the next resume"), qPrintable(table.out));
    }

    void aDamagedNewestOneGivesWayToTheNextOlder()
    {
        const QList<qint64> steps = presentSteps();
        doHarm(checkpointOf(folder(), steps[0]), Harm::OneBit);
        QCOMPARE(checkpoints().first()["state"].toString(), QString("damaged"));
        QCOMPARE(resumed({}), steps[1]);
        QVERIFY(fs::exists(folder() / (checkpointOf({}, steps[0]).string() + ".damaged")));
    }

    void aMissingNameIsNoLoss()
    {
        const QList<qint64> steps = presentSteps();
        fs::remove(folder() / "latest");
        QCOMPARE(resumed({}), steps[0]);
    }

    void goingBackKeepsWhatIsPublishedAfterwards()
    {
        const QList<qint64> steps = presentSteps();
        std::ofstream(folder() / "latest") << checkpointOf({}, steps[2]).string() << "\n"; // by hand
        QCOMPARE(resumed({}), steps[2]);
        QVERIFY(fs::exists(folder() / nameIn(folder() / "latest")));
        QVERIFY(std::ranges::any_of(checkpoints(), [&](const QJsonObject& one) {
            return one["step"].toInteger() == steps[0] && one["state"].toString() == "abandoned";
        }));
    }

    void resumesFromAnyStep()
    {
        const QList<qint64> steps = presentSteps();
        QCOMPARE(resumed({"--step", QString::number(steps[1])}), steps[1]);
        const CliResult absent = m_cli.run({"resume", m_run, "--step", "999999"});
        QCOMPARE(absent.status, 3);
        QVERIFY2(absent.err.contains("there is no checkpoint of step 999999"), qPrintable(absent.err));
    }

    void aFolderThatCannotBeReadStopsTheStart()
    {
        const qint64 newest = presentSteps().first();
        const fs::path aside = folder().string() + ".aside";
        fs::rename(folder(), aside);
        fs::create_symlink(folder().filename(), folder()); // a loop: nobody can read it, not even root
        const CliResult refused = m_cli.run({"resume", m_run});
        const CliResult listed = m_cli.run({"checkpoints", m_run});
        fs::remove(folder());
        fs::rename(aside, folder());
        QCOMPARE(refused.status, 3);
        QVERIFY2(refused.err.contains("cannot be read"), qPrintable(refused.err));
        QCOMPARE(listed.status, 3);
        QCOMPARE(resumed({}), newest);
    }

    void aRestartFindsTheNewestCompleteOneToo()
    {
        const qint64 before = presentSteps().first();
        QCOMPARE(m_cli.run({"resume", m_run}).status, 0);
        const quint32 attempt = lastAttempt();
        AWAIT(!lossesOf(attempt).empty() && presentSteps().first() > before);
        const qint64 newest = presentSteps().first();
        fs::remove(checkpointOf(folder(), newest) / "manifest.json");
        killARank();
        AWAIT(!lossesOf(attempt + 1).empty());
        const qint64 first = lossesOf(attempt + 1).begin()->first;
        QVERIFY2(first > 1, qPrintable(QString::number(first)));
        stop();
        checkLosses(attempt + 1);
    }

    void nothingCompleteIsRefusedAndStartsOverOnlyWhenAsked()
    {
        for (const qint64 step : presentSteps()) {
            const fs::path checkpoint = checkpointOf(folder(), step);
            if (fs::exists(checkpoint / "manifest.json")) // one may be without since the test before
                doHarm(checkpoint, Harm::CutManifest);
        }
        const CliResult refused = m_cli.run({"resume", m_run});
        QCOMPARE(refused.status, 3);
        QVERIFY2(refused.err.contains("--step 0"), qPrintable(refused.err));
        QCOMPARE(resumed({"--step", "0"}), qint64(0));
    }

private:
    fs::path runFolder() const { return m_cli.path("home/runs/" + m_run).toStdString(); }
    fs::path folder() const { return runFolder() / "checkpoints"; }

    QList<QJsonObject> checkpoints() const
    {
        const CliResult listed = m_cli.run({"checkpoints", m_run, "--json"});
        QList<QJsonObject> all;
        for (const auto& one : QJsonDocument::fromJson(listed.out.toUtf8())["checkpoints"].toArray())
            all << one.toObject();
        return all;
    }

    /// Of the present line, newest first.
    QList<qint64> presentSteps() const
    {
        QList<qint64> steps;
        for (const auto& entry : fs::directory_iterator(folder())) {
            const std::string name = entry.path().filename().string();
            if (name.starts_with("step-") && name.find('.') == std::string::npos)
                steps << std::stoll(name.substr(5));
        }
        std::ranges::sort(steps, std::greater());
        return steps;
    }

    static std::string nameIn(const fs::path& latest)
    {
        std::string name;
        std::ifstream(latest) >> name;
        return name;
    }

    std::map<qint64, double> lossesOf(quint32 attempt) const
    {
        std::map<qint64, double> losses;
        forEach<StepRecord>(runFolder() / "journal/steps", [&](const StepRecord& step, const Record& record) {
            if (record.attempt == attempt)
                losses[step.step] = step.loss;
        });
        return losses;
    }

    quint32 lastAttempt() const
    {
        quint32 last = 0;
        for (const auto& entry : fs::directory_iterator(runFolder() / "attempts"))
            last = std::max(last, quint32(std::atoi(entry.path().stem().c_str())));
        return last;
    }

    void stop() const
    {
        const CliResult stopped = m_cli.run({"stop", m_run});
        QVERIFY2(stopped.status == 0, qPrintable(stopped.err));
    }

    void killARank() const
    {
        for (const auto& entry : fs::directory_iterator("/proc")) {
            std::ifstream environment(entry.path() / "environ"), command(entry.path() / "cmdline");
            const std::string marks{std::istreambuf_iterator<char>(environment), {}};
            const std::string name{std::istreambuf_iterator<char>(command), {}};
            if (marks.find("TRAINYARD_RUN=" + m_run.toStdString()) != std::string::npos &&
                name.substr(0, name.find('\0')).ends_with("trainyard-worker")) {
                QCOMPARE(::kill(std::stoi(entry.path().filename()), SIGKILL), 0);
                return;
            }
        }
        QFAIL("there is no rank that could be killed");
    }

    void checkLosses(quint32 attempt)
    {
        for (const auto& [step, loss] : lossesOf(attempt)) {
            const auto known = m_undisturbed.try_emplace(step, loss).first;
            QVERIFY2(std::abs(loss - known->second) <= kLossTolerance * known->second,
                     qPrintable(QString("step %1: %2, not %3").arg(step).arg(loss).arg(known->second)));
        }
    }

    /// Resumes, lets it make some checkpoints, stops it. The step that it started from; -1 when it did not.
    qint64 resumed(const QStringList& options)
    {
        const CliResult result = m_cli.run(QStringList{"resume", m_run} + options);
        if (result.status != 0) {
            qWarning("%s", qPrintable(result.err));
            return -1;
        }
        const quint32 attempt = lastAttempt();
        const bool hasWorked = QTest::qWaitFor([&] { return lossesOf(attempt).size() >= 10; }, kPatienceMs);
        stop();
        checkLosses(attempt);
        return hasWorked ? lossesOf(attempt).begin()->first - 1 : -1;
    }

    CliFixture m_cli;
    QString m_run;
    std::map<qint64, double> m_undisturbed;
};

QTEST_GUILESS_MAIN(TestCheckpointRecovery)
#include "tst_checkpoint_recovery.moc"
