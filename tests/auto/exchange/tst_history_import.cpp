#include <QDir>
#include <QSqlDatabase>
#include <QSqlError>
#include <QSqlQuery>
#include <QTemporaryDir>
#include <QTest>

#include <sys/wait.h>
#include <unistd.h>

#include "app/exchange/history_import.h"
#include "app/runs/run_database.h"
#include "app/runs/run_store.h"

using namespace trainyard;
using namespace std::chrono_literals;

namespace {

LoadedRun loadedRun(const QString& name, int points)
{
    LoadedRun run;
    run.import.name = name;
    run.import.tags = {"paper"};
    run.import.format = "CSV";
    run.import.source = "/tmp/" + name + ".csv";
    run.import.importedMs = 1'795'252'505'000;
    run.import.metrics[ImportedMetric::Loss] = "loss";
    run.series = {{"loss", {}}};
    for (int step = 1; step <= points; ++step)
        run.series.front().points.push_back({double(step), 0, 10.0 / step});
    return run;
}

/// Another program in the middle of writing to the history.
class OtherProgram {
public:
    explicit OtherProgram(const QString& file)
    {
        auto database = QSqlDatabase::addDatabase("QSQLITE", "other program");
        database.setDatabaseName(file);
        m_hasLock = database.open() && QSqlQuery(database).exec("BEGIN IMMEDIATE");
    }
    ~OtherProgram() { QSqlDatabase::removeDatabase("other program"); }
    OtherProgram(const OtherProgram&) = delete;
    OtherProgram& operator=(const OtherProgram&) = delete;

    bool hasLock() const { return m_hasLock; }

private:
    bool m_hasLock = false;
};

} // namespace

class TestHistoryImport : public QObject {
    Q_OBJECT

private slots:
    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        m_history = RunDatabase::open(m_folder->filePath("history.db"), 20ms).value();
    }
    void cleanup() { m_history.reset(); }

    void makesRunsWithTagsOfAllThatWasLoaded()
    {
        const std::vector<LoadedRun> runs{loadedRun("one", 3), loadedRun("two", 5)};
        const QStringList ids = importIntoHistory(*m_history, runsFolder(), runs).value();
        QCOMPARE(ids.size(), 2);
        QCOMPARE(m_history->runs().size(), 2);
        const RunEntry second = *m_history->find(ids[1]);
        QCOMPARE(second.name, QString("two"));
        QCOMPARE(second.tags, QStringList{"paper"});
        QCOMPARE(second.step, 5);
        QCOMPARE(second.loss, 2.0);
        QCOMPARE(second.importedFrom, QString("CSV"));
        QCOMPARE(folders().size(), 2);
        RunStore desk(*m_history, m_folder->filePath("runs"), nullptr);
        QCOMPARE(m_history->runs().size(), 2);
        QCOMPARE(m_history->find(ids[1])->tags, QStringList{"paper"});
    }

    void leavesNothingWhileAnotherProgramHasLockedTheHistory()
    {
        const std::vector<LoadedRun> runs{loadedRun("one", 3), loadedRun("two", 5)};
        {
            const OtherProgram other(m_folder->filePath("history.db"));
            QVERIFY(other.hasLock());
            const auto imported = importIntoHistory(*m_history, runsFolder(), runs);
            QVERIFY(!imported.ok());
            QCOMPARE(imported.error().kind, ErrorKind::Refused);
            const QString text = QString::fromStdString(imported.error().text());
            for (const char* said :
                 {"nothing was imported", "history.db", "another program has locked", "try again"})
                QVERIFY2(text.contains(said), qPrintable(text));
        }
        QCOMPARE(folders(), QStringList());
        QVERIFY(m_history->runs().isEmpty());
        QVERIFY(importIntoHistory(*m_history, runsFolder(), runs).ok());
        QCOMPARE(m_history->runs().size(), 2);
    }

    void takesBackTheFirstRunWhenTheSecondCannotBeMade()
    {
        const std::vector<LoadedRun> runs{loadedRun("one", 3), loadedRun("empty", 0)};
        const auto imported = importIntoHistory(*m_history, runsFolder(), runs);
        QVERIFY(!imported.ok());
        QVERIFY(imported.error().message.find("/tmp/empty.csv") != std::string::npos);
        QCOMPARE(folders(), QStringList());
        QVERIFY(m_history->runs().isEmpty());
    }

    void leavesTheRunsThatWereThere()
    {
        const std::vector<LoadedRun> good{loadedRun("one", 3)}, bad{loadedRun("empty", 0)};
        const QStringList ids = importIntoHistory(*m_history, runsFolder(), good).value();
        QVERIFY(!importIntoHistory(*m_history, runsFolder(), bad).ok());
        QCOMPARE(folders(), ids);
        QCOMPARE(m_history->runs().size(), 1);
    }

    void aNewHistoryTakesRunsInWithTheirTags()
    {
        const std::vector<LoadedRun> runs{loadedRun("one", 3)};
        const QStringList ids = importIntoHistory(*m_history, runsFolder(), runs).value();
        const auto anew = RunDatabase::open(m_folder->filePath("new.db")).value();
        RunStore desk(*anew, m_folder->filePath("runs"), nullptr);
        QCOMPARE(anew->find(ids[0])->tags, QStringList{"paper"});
    }

    void takesTheFoldersBackWhenItIsDropped()
    {
        {
            const auto import = HistoryImport::begin(runsFolder()).value();
            QVERIFY(import->add(loadedRun("one", 3)).ok());
            RunStore desk(*m_history, m_folder->filePath("runs"), nullptr); // while it is at work
            QCOMPARE(folders().size(), 1);
            QVERIFY(folders().first().startsWith(".import-"));
        }
        QCOMPARE(folders(), QStringList());
        QVERIFY(m_history->runs().isEmpty());
    }

    void theNextStartRemovesWhatAKilledImportHadWritten()
    {
        killAmidImport();
        QCOMPARE(folders().size(), 1);
        RunStore desk(*m_history, m_folder->filePath("runs"), nullptr);
        QCOMPARE(folders(), QStringList());
        QVERIFY(m_history->runs().isEmpty());
    }

    void theNextStartMovesTheRestOfACompleteImport()
    {
        killAmidImport();
        QDir runs(m_folder->filePath("runs"));
        const QString written = folders().first();
        const QString complete = QString(written).replace(".import-", ".imported-");
        QVERIFY(runs.rename(written, complete));
        const QString first =
            QDir(runs.filePath(complete)).entryList(QDir::Dirs | QDir::NoDotAndDotDot).first();
        QVERIFY(runs.rename(complete + '/' + first, first));
        RunStore desk(*m_history, m_folder->filePath("runs"), nullptr);
        QCOMPARE(m_history->runs().size(), 2);
        for (const RunEntry& run : m_history->runs())
            QCOMPARE(run.tags, QStringList{"paper"});
        QCOMPARE(folders().size(), 2);
        QVERIFY(!folders().first().startsWith('.'));
    }

private:
    /// In another process, which leaves two runs written and not published.
    void killAmidImport() const
    {
        const pid_t child = ::fork();
        if (child == 0) {
            const auto import = HistoryImport::begin(runsFolder());
            const bool written = import.ok() && (*import)->add(loadedRun("one", 3)).ok() &&
                                 (*import)->add(loadedRun("two", 5)).ok();
            ::_exit(written ? 0 : 1);
        }
        int status = -1;
        QCOMPARE(::waitpid(child, &status, 0), child);
        QCOMPARE(status, 0);
    }

    std::filesystem::path runsFolder() const { return m_folder->filePath("runs").toStdString(); }
    QStringList folders() const
    {
        return QDir(m_folder->filePath("runs"))
            .entryList(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot);
    }

    std::unique_ptr<QTemporaryDir> m_folder;
    std::unique_ptr<RunDatabase> m_history;
};

QTEST_GUILESS_MAIN(TestHistoryImport)
#include "tst_history_import.moc"
