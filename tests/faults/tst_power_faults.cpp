#include <map>

#include <QDir>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include "engine/base/file.h"
#include "engine/base/hash.h"
#include "engine/records/journal.h"
#include "engine/spec/spec_json.h"
#include "tests/faults/soak/checkpoint_check.h"
#include "tests/integration/cli_fixture.h"
#include "tests/support/faults/fault_report.h"
#include "tests/support/patience.h"
#include "tests/support/power_cut/disk_after_power_cut.h"

using namespace trainyard;
using namespace trainyard::support;
using soak::seeLatestCheckpoint;
namespace fs = std::filesystem;

namespace {

constexpr int kSteps = 30;
constexpr int kEverySteps = 5;
constexpr int kResumed = 4; ///< of the moments of a cut, from this many the run goes on

/// The losses of a run by step; of a step that was done again the later one.
std::map<std::int64_t, double> curveOf(const fs::path& run)
{
    std::map<std::int64_t, double> curve;
    const auto journal = readJournal(run / "journal" / "steps");
    for (const Record& record : journal.ok() ? journal->records : std::vector<Record>()) {
        if (const auto* step = std::get_if<StepRecord>(&record.payload))
            curve[step->step] = step->loss;
    }
    return curve;
}

/// The newest checkpoint that the journal tells of.
std::int64_t publishedIn(const fs::path& run)
{
    std::int64_t step = 0;
    const auto journal = readJournal(run / "journal" / "steps");
    for (const Record& record : journal.ok() ? journal->records : std::vector<Record>()) {
        const auto* event = std::get_if<EventRecord>(&record.payload);
        if (event && event->kind == "checkpoint-published")
            step = event->step;
    }
    return step;
}

} // namespace

/// Fault 46: the power fails behind every sync that a writer makes, and what was not synced is gone.
class TestPowerFaults : public QObject {
    Q_OBJECT

private slots:
    void init() { m_folder = std::make_unique<QTemporaryDir>("/dev/shm/trainyard-power-XXXXXX"); }

    void f46_powerLostWhileTraining_data()
    {
        QTest::addColumn<int>("names");
        QTest::addRow("only the names of synced folders are left") << int(DiskAfterPowerCut::Names::Synced);
        QTest::addRow("all names are left, files without a sync are empty")
            << int(DiskAfterPowerCut::Names::All);
    }
    void f46_powerLostWhileTraining()
    {
        QFETCH(int, names);
        FaultReport report(
            46, "power lost while a run trains",
            "latest is whole; no step that it holds is missing; the run goes on to the same curve");
        makeRun();
        QVERIFY(train(1, true));
        const auto whole = curveOf(disk());
        QCOMPARE(whole.size(), std::size_t(kSteps));
        const DiskAfterPowerCut cut(folder() / "before", folder() / "record");
        QVERIFY(cut.syncs() > kSteps / kEverySteps * 5);
        report.injected(QString("a cut behind each of %1 syncs").arg(cut.syncs()));
        std::int64_t kept = 0;
        for (int moment = 0; moment <= cut.syncs(); ++moment) {
            fs::remove_all(disk());
            cut.restore(moment, DiskAfterPowerCut::Names(names), disk());
            expectSoundRun(kept);
            if (!QTest::currentTestFailed() && moment % (cut.syncs() / kResumed) == 0)
                expectTheSameCurve(whole);
            if (QTest::currentTestFailed()) {
                qWarning("cut behind sync %d of %d", moment, cut.syncs());
                return;
            }
        }
        QCOMPARE(kept, kSteps);
        report.observed(QString("%1 disks with a complete checkpoint or none, %2 of them trained to the end")
                            .arg(cut.syncs() + 1)
                            .arg(kResumed + 1));
    }

    void f46_powerLostBehindAPromise_data()
    {
        QTest::addColumn<QString>("what");
        QTest::addRow("journal") << "journal";
        QTest::addRow("blob") << "blob";
    }
    void f46_powerLostBehindAPromise()
    {
        QFETCH(QString, what);
        FaultReport report(46, "power lost behind a promise: " + what, "what was said to be kept is there");
        QVERIFY(fs::create_directory(disk()) && fs::create_directory(folder() / "before"));
        QVERIFY(run(QStringLiteral(TRAINYARD_TESTS_DIR "/careful_writer"), {what, path(disk())}, true));
        const DiskAfterPowerCut cut(folder() / "before", folder() / "record");
        QVERIFY(cut.syncs() > 0);
        report.injected(QString("a cut behind the last of %1 syncs").arg(cut.syncs()));
        cut.restore(cut.syncs(), DiskAfterPowerCut::Names::Synced, folder() / "left");
        if (what == "journal") {
            const auto journal = readJournal(folder() / "left" / "steps");
            QVERIFY2(journal.ok(), journal.ok() ? "" : journal.error().text().c_str());
            QCOMPARE(journal->records.size(), std::size_t(10));
        } else {
            const std::string hash = sha256Hex(std::string(300'000, 'b')); // as careful_writer has it
            const auto stored = sha256OfFile(folder() / "left" / "cas" / hash.substr(0, 2) / hash);
            QVERIFY2(stored.ok(), stored.ok() ? "" : stored.error().text().c_str());
            QCOMPARE(*stored, hash);
        }
        report.observed("all of it");
    }

private:
    fs::path folder() const { return m_folder->path().toStdString(); }
    fs::path disk() const { return folder() / "disk"; }
    static QString path(const fs::path& path) { return QString::fromStdString(path.string()); }

    /// As an agent makes it.
    void makeRun()
    {
        QString why;
        QVERIFY2(m_cli.makeDataset(&why), qPrintable(why));
        RunSpec spec = test::tinySpec(m_cli.dataset(), 1, kSteps);
        spec.precision.compute = ComputeType::Float64;
        spec.checkpoint.everySteps = kEverySteps;
        for (const char* inside : {"control", "journal", "ranks"})
            QVERIFY(makeFolder(disk() / inside).ok());
        QVERIFY(writeFileAtomically(disk() / "spec.json", toJson(spec)).ok());
        fs::copy(disk(), folder() / "before", fs::copy_options::recursive);
    }

    bool train(int attempt, bool recorded)
    {
        return run(QStringLiteral(TRAINYARD_BIN_DIR "/trainyard-worker"),
                   {"train", "--run-dir", path(disk()), "--attempt", QString::number(attempt)}, recorded);
    }

    bool run(const QString& program, const QStringList& arguments, bool recorded)
    {
        QProcess process;
        auto environment = QProcessEnvironment::systemEnvironment();
        if (recorded) {
            fs::create_directory(folder() / "record");
            environment.insert("LD_PRELOAD", "disk_recorder.so"); // a path here may have no blanks
            environment.insert("LD_LIBRARY_PATH", TRAINYARD_TESTS_DIR);
            environment.insert("TRAINYARD_DISK", path(disk()));
            environment.insert("TRAINYARD_DISK_RECORD", path(folder() / "record"));
        }
        process.setProcessEnvironment(environment);
        process.start(program, arguments);
        return process.waitForFinished(kPatienceMs) && process.exitCode() == 0;
    }

    /// `kept`: the newest checkpoint that was seen behind an earlier sync.
    void expectSoundRun(std::int64_t& kept) const
    {
        const auto latest = seeLatestCheckpoint(disk() / "checkpoints");
        QVERIFY2(!latest || latest->damage.empty(), latest ? latest->damage.c_str() : "");
        const std::int64_t step = latest ? latest->step : 0;
        QVERIFY(step >= kept);
        QVERIFY(step >= publishedIn(disk()));
        kept = step;
        const auto curve = curveOf(disk());
        QVERIFY2(std::int64_t(curve.size()) >= step && (curve.empty() || curve.begin()->first == 1),
                 qPrintable(
                     QString("checkpoint of step %1, %2 steps in the journal").arg(step).arg(curve.size())));
    }

    void expectTheSameCurve(const std::map<std::int64_t, double>& whole)
    {
        QVERIFY(train(2, false));
        const auto curve = curveOf(disk());
        QCOMPARE(curve.size(), whole.size());
        for (const auto& [step, loss] : whole)
            QVERIFY(std::abs(curve.at(step) - loss) <= 1e-12 * loss);
    }

    test::CliFixture m_cli;
    std::unique_ptr<QTemporaryDir> m_folder;
};

QTEST_GUILESS_MAIN(TestPowerFaults)
#include "tst_power_faults.moc"
