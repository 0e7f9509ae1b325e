#include <array>
#include <barrier>
#include <chrono>
#include <cmath>
#include <string>
#include <thread>
#include <vector>

#include <QAbstractItemModelTester>
#include <QDir>
#include <QSignalSpy>
#include <QSqlDatabase>
#include <QSqlError>
#include <QSqlQuery>
#include <QTemporaryDir>
#include <QTest>

#include "app/runs/run_database.h"
#include "app/runs/run_list_model.h"

using namespace trainyard;
using namespace std::chrono_literals;

namespace {

RunEntry entry(const QString& id, qint64 createdMs)
{
    RunEntry e;
    e.id = id;
    e.name = "bert-" + id;
    e.hosts = {"gpu-01", "gpu-02"};
    e.state = RunState::Running;
    e.step = 1240;
    e.steps = 7038;
    e.loss = 3.25;
    e.bestHeldOutLoss = 3.5;
    e.secondsToTarget = 1200;
    e.tokensToTarget = 4e6;
    e.sequencesPerSecond = 812.5;
    e.worldSize = 4;
    e.createdMs = createdMs;
    e.updatedMs = createdMs + 60'000;
    return e;
}

/// What another program does to a database, as long as this lives.
class Connection {
public:
    template <typename... Statements>
    explicit Connection(const QString& file, Statements... statements)
    {
        auto database = QSqlDatabase::addDatabase("QSQLITE", "another program");
        database.setDatabaseName(file);
        const bool isFine = database.open() && (QSqlQuery(database).exec(statements) && ...);
        if (!isFine)
            qFatal("%s", qPrintable(database.lastError().text()));
    }
    ~Connection() { QSqlDatabase::removeDatabase("another program"); }
    Connection(const Connection&) = delete;
    Connection& operator=(const Connection&) = delete;
};

QByteArray bytesOf(const QString& path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

/// The bytes of a history of several pages.
QByteArray wholeHistory()
{
    const QTemporaryDir folder;
    const QString path = folder.filePath("history.db");
    {
        auto library = RunDatabase::open(path).value();
        for (int i = 0; i < 40; ++i)
            (void)library->store(entry(QString("run-%1").arg(i), 1000 + i)).ok();
    }
    return bytesOf(path);
}

QByteArray otherDatabase(const char* statement)
{
    const QTemporaryDir folder;
    const QString path = folder.filePath("other.db");
    {
        const Connection connection(path, statement);
    }
    return bytesOf(path);
}

QStringList ids(const RunDatabase& library)
{
    QStringList list;
    for (const RunEntry& e : library.runs())
        list.append(e.id);
    return list;
}

} // namespace

class TestRunLibrary : public QObject {
    Q_OBJECT

private slots:
    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        m_file = m_folder->filePath("history.db");
    }

    void survivesARestart()
    {
        RunEntry stored = entry("a", 1000);
        {
            auto library = RunDatabase::open(m_file).value();
            QVERIFY(library->store(stored).ok());
            QVERIFY(library->setTags("a", {"baseline", "paper"}).ok());
            QVERIFY(library->setNotes("a", "zeile 1\nzeile 2 — ü").ok());
        }
        stored.tags = QStringList{"baseline", "paper"};
        stored.notes = "zeile 1\nzeile 2 — ü";
        const auto library = RunDatabase::open(m_file).value();
        QVERIFY(library->find("a") == stored);
    }

    void severalProgramsMayMakeItAtOnce()
    {
        constexpr int kPrograms = 8;
        for (int round = 0; round < 20; ++round) {
            const QString file = m_folder->filePath(QStringLiteral("%1.db").arg(round));
            std::barrier together(kPrograms);
            std::array<std::string, kPrograms> problems;
            std::vector<std::thread> programs;
            for (std::string& problem : problems)
                programs.emplace_back([&together, &problem, file] {
                    together.arrive_and_wait();
                    const auto library = RunDatabase::open(file);
                    problem = library.ok() ? "" : library.error().text();
                });
            for (std::thread& program : programs)
                program.join();
            for (const std::string& problem : problems)
                QCOMPARE(QString::fromStdString(problem), QString());
        }
    }

    void keepsMetricsThatAreNotNumbers()
    {
        RunEntry fresh = entry("a", 1000);
        fresh.loss = std::nan("");
        QVERIFY(RunDatabase::open(m_file).value()->store(fresh).ok());
        QVERIFY(std::isnan(RunDatabase::open(m_file).value()->find("a")->loss));
    }

    void listsTheNewestFirst()
    {
        auto library = RunDatabase::open(m_file).value();
        for (const auto& [id, ms] : {std::pair{"b", 2000}, {"a", 1000}, {"c", 3000}})
            QVERIFY(library->store(entry(id, ms)).ok());
        QCOMPARE(ids(*library), (QStringList{"c", "b", "a"}));
        QCOMPARE(ids(*RunDatabase::open(m_file).value()), (QStringList{"c", "b", "a"}));
    }

    void newMetricsLeaveTagsAndNotesAlone()
    {
        auto library = RunDatabase::open(m_file).value();
        QVERIFY(library->store(entry("a", 1000)).ok());
        QVERIFY(library->setNotes("a", "keep me").ok());
        RunEntry later = entry("a", 1000);
        later.step = 1300;
        QVERIFY(library->store(later).ok());
        QCOMPARE(library->find("a")->notes, QString("keep me"));
        QCOMPARE(library->find("a")->step, 1300);
    }

    void storingTheSameAgainSaysNothing()
    {
        auto library = RunDatabase::open(m_file).value();
        QVERIFY(library->store(entry("a", 1000)).ok());
        QSignalSpy changed(library.get(), &RunDatabase::runChanged);
        QVERIFY(library->store(entry("a", 1000)).ok());
        QCOMPARE(changed.count(), 0);
    }

    void forgetsWhatIsRemoved()
    {
        auto library = RunDatabase::open(m_file).value();
        QVERIFY(library->store(entry("a", 1000)).ok());
        QVERIFY(library->remove("a").ok());
        QVERIFY(library->remove("a").ok());
        QVERIFY(RunDatabase::open(m_file).value()->runs().isEmpty());
    }

    void twoWindowsSeeEachOthersChanges()
    {
        auto first = RunDatabase::open(m_file).value();
        QVERIFY(first->store(entry("a", 1000)).ok());
        auto second = RunDatabase::open(m_file).value();
        RunListModel rows(*second);
        QAbstractItemModelTester tester(&rows);
        QVERIFY(first->store(entry("b", 2000)).ok());
        QVERIFY(first->setNotes("a", "from the first").ok());
        QVERIFY(second->setTags("a", {"from-the-second"}).ok());
        QCOMPARE(ids(*second), (QStringList{"a"})); // reading never touches the disk
        QVERIFY(second->refresh().ok());
        QVERIFY(first->refresh().ok());
        for (RunDatabase* library : {first.get(), second.get()}) {
            QCOMPARE(ids(*library), (QStringList{"b", "a"}));
            QCOMPARE(library->find("a")->notes, QString("from the first"));
            QCOMPARE(library->find("a")->tags, (QStringList{"from-the-second"}));
        }
        QVERIFY(first->remove("b").ok());
        QVERIFY(second->refresh().ok());
        QCOMPARE(rows.rowCount(), 1);
    }

    void newMetricsDoNotUndoWhatAnotherWindowNoted()
    {
        auto first = RunDatabase::open(m_file).value();
        QVERIFY(first->store(entry("a", 1000)).ok());
        auto second = RunDatabase::open(m_file).value();
        QVERIFY(second->setTags("a", {"paper"}).ok());
        QVERIFY(second->setArchived("a", true).ok());
        RunEntry later = entry("a", 1000);
        later.step = 1300;
        QVERIFY(first->store(later).ok()); // has not seen the tag yet
        QVERIFY(second->refresh().ok());
        QCOMPARE(second->find("a")->tags, (QStringList{"paper"}));
        QVERIFY(second->find("a")->isArchived);
        QCOMPARE(second->find("a")->step, 1300);
    }

    void aRunThatAnotherWindowRemovedCannotBeTagged()
    {
        auto first = RunDatabase::open(m_file).value();
        QVERIFY(first->store(entry("a", 1000)).ok());
        auto second = RunDatabase::open(m_file).value();
        QVERIFY(second->remove("a").ok());
        QVERIFY(!first->setTags("a", {"late"}).ok());
    }

    void nothingNewSaysNothing()
    {
        auto library = RunDatabase::open(m_file).value();
        QVERIFY(library->store(entry("a", 1000)).ok());
        QSignalSpy changed(library.get(), &RunDatabase::runChanged);
        QVERIFY(library->refresh().ok());
        QCOMPARE(changed.count(), 0);
    }

    void takesOverAHistoryOfVersionOne()
    {
        {
            auto database = QSqlDatabase::addDatabase("QSQLITE", "old");
            database.setDatabaseName(m_file);
            QVERIFY(database.open());
            QSqlQuery query(database);
            QVERIFY(query.exec(
                "CREATE TABLE runs (id TEXT PRIMARY KEY, name TEXT NOT NULL, hosts TEXT NOT NULL, spec "
                "TEXT NOT NULL, training INTEGER NOT NULL, state TEXT NOT NULL, reason TEXT NOT NULL, "
                "step INTEGER NOT NULL, steps INTEGER NOT NULL, loss REAL, sequences_per_second REAL, "
                "world_size INTEGER NOT NULL, attempt INTEGER NOT NULL, created_ms INTEGER NOT NULL, "
                "updated_ms INTEGER NOT NULL, tags TEXT NOT NULL, notes TEXT NOT NULL) WITHOUT ROWID"));
            QVERIFY(query.exec(
                "INSERT INTO runs VALUES ('a', 'old', '[\"h\"]', '', 1, 'finished', '', 5, 5, 1.5, 2.5, "
                "2, 1, 1000, 2000, '[\"kept\"]', 'kept too')"));
            QVERIFY(query.exec("PRAGMA user_version = 1"));
        }
        QSqlDatabase::removeDatabase("old");
        auto library = RunDatabase::open(m_file).value();
        QCOMPARE(library->find("a")->tags, (QStringList{"kept"}));
        QCOMPARE(library->find("a")->notes, QString("kept too"));
        QCOMPARE(library->find("a")->loss, 1.5);
        QVERIFY(std::isnan(library->find("a")->bestHeldOutLoss));
        QVERIFY(library->setArchived("a", true).ok());
        QVERIFY(RunDatabase::open(m_file).value()->find("a")->isArchived);
    }

    /// As version 2 was: without the held-out loss.
    void takesOverAHistoryOfVersionTwo()
    {
        QVERIFY(RunDatabase::open(m_file).value()->store(entry("a", 1000)).ok());
        {
            const Connection older(m_file, "ALTER TABLE runs DROP COLUMN best_held_out_loss",
                                   "ALTER TABLE runs DROP COLUMN seconds_to_target",
                                   "ALTER TABLE runs DROP COLUMN tokens_to_target",
                                   "PRAGMA user_version = 2");
        }
        auto library = RunDatabase::open(m_file).value();
        QCOMPARE(library->find("a")->loss, 3.25);
        QVERIFY(std::isnan(library->find("a")->bestHeldOutLoss));
        QVERIFY(library->store(entry("a", 1000)).ok());
        QCOMPARE(*RunDatabase::open(m_file).value()->find("a"), entry("a", 1000));
    }

    void damageInTheMiddleIsToldAndLeftAsItIs()
    {
        {
            auto library = RunDatabase::open(m_file).value();
            RunEntry large = entry("run", 1000);
            large.spec = QString(20'000, 'x');
            for (int i = 0; i < 20; ++i) {
                large.id = QString("run-%1").arg(i);
                QVERIFY(library->store(large).ok());
            }
        }
        QFile file(m_file);
        QVERIFY(file.open(QIODevice::ReadWrite));
        QVERIFY(file.size() > 400'000);
        file.seek(8192);
        file.write(QByteArray(int(file.size()) - 8192, '\xff'));
        file.seek(0);
        const QByteArray damaged = file.readAll();
        const auto library = RunDatabase::open(m_file);
        QVERIFY(!library.ok());
        QVERIFY(library.error().message.find("history.db") != std::string::npos);
        file.seek(0);
        QVERIFY(file.readAll() == damaged);
    }

    void usesAWriteAheadLog()
    {
        auto library = RunDatabase::open(m_file).value();
        QVERIFY(library->store(entry("a", 1000)).ok());
        QVERIFY(QFile::exists(m_file + "-wal"));
    }

    void refusesAHistoryOfANewerVersion()
    {
        {
            auto database = QSqlDatabase::addDatabase("QSQLITE", "newer");
            database.setDatabaseName(m_file);
            QVERIFY(database.open());
            QSqlQuery(database).exec("PRAGMA user_version = 99");
        }
        QSqlDatabase::removeDatabase("newer");
        const auto library = RunDatabase::open(m_file);
        QVERIFY(!library.ok());
        QCOMPARE(library.error().kind, ErrorKind::Refused);
    }

    void refusesAFileThatIsNoHistory()
    {
        QFile file(m_file);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(QByteArray(4096, 'x'));
        file.close();
        const auto library = RunDatabase::open(m_file);
        QVERIFY(!library.ok());
        QCOMPARE(library.error().kind, ErrorKind::BadInput);
        QVERIFY(library.error().message.find("history.db") != std::string::npos);
    }

    void saysOfAnyFileWhatIsWrongAndLeavesIt_data()
    {
        QTest::addColumn<QByteArray>("content");
        const QByteArray whole = wholeHistory();
        for (const int share : {10, 50, 90})
            QTest::addRow("cut to %d %%", share) << whole.left(whole.size() * share / 100);
        for (const int bytes : {1, 16, 99, 100, 1024, 4096})
            QTest::addRow("cut to %d bytes", bytes) << whole.left(bytes);
        QTest::addRow("zeros") << QByteArray(16'384, '\0');
        QTest::addRow("garbage") << QByteArray("\xff\xfe\x01{", 4).repeated(4096);
        QTest::addRow("JSON") << QByteArray(R"({"version": 1})");
        QByteArray odd = whole;
        QTest::addRow("another table format") << odd.replace("sequences_per_second", "sequences_per_minute");
        QTest::addRow("another program's") << otherDatabase("CREATE TABLE runs (id TEXT)");
        QTest::addRow("version below zero") << otherDatabase("PRAGMA user_version = -3");
    }

    void saysOfAnyFileWhatIsWrongAndLeavesIt()
    {
        QFETCH(QByteArray, content);
        QFile file(m_file);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(content);
        file.close();
        const auto library = RunDatabase::open(m_file, 20ms);
        QVERIFY(!library.ok());
        QCOMPARE(library.error().kind, ErrorKind::BadInput);
        QVERIFY(library.error().message.find(m_file.toStdString()) == 0);
        QVERIFY(library.error().hint.find("move") != std::string::npos);
        QVERIFY(file.open(QIODevice::ReadOnly));
        QVERIFY(file.readAll() == content);
    }

    void anEmptyFileBecomesAHistory()
    {
        QVERIFY(QFile(m_file).open(QIODevice::WriteOnly));
        QVERIFY(RunDatabase::open(m_file).value()->store(entry("a", 1000)).ok());
        QCOMPARE(ids(*RunDatabase::open(m_file).value()), QStringList{"a"});
    }

    void refusesWhatIsNoFile_data()
    {
        QTest::addColumn<bool>("isFolder");
        QTest::newRow("folder") << true;
        QTest::newRow("link to itself") << false;
    }

    void refusesWhatIsNoFile()
    {
        QFETCH(bool, isFolder);
        QVERIFY(isFolder ? QDir().mkpath(m_file) : QFile::link(m_file, m_file));
        const auto library = RunDatabase::open(m_file);
        QVERIFY(!library.ok());
        QCOMPARE(library.error().kind, ErrorKind::Refused);
        QVERIFY(library.error().message.find(m_file.toStdString()) != std::string::npos);
    }

    void saysThatAnotherProgramHasLockedIt()
    {
        auto library = RunDatabase::open(m_file, 20ms).value();
        QVERIFY(library->store(entry("a", 1000)).ok());
        const Connection other(m_file, "PRAGMA locking_mode = NORMAL", "BEGIN IMMEDIATE");
        const auto says = [&](const Status& status) {
            return !status.ok() && status.error().kind == ErrorKind::Refused &&
                   status.error().message.find(m_file.toStdString()) == 0 &&
                   status.error().message.find("another program has locked") != std::string::npos;
        };
        QVERIFY(says(library->store(entry("b", 2000))));
        QVERIFY(says(library->storeAll({entry("b", 2000), entry("c", 3000)})));
        QVERIFY(says(library->setNotes("a", "new")));
        QVERIFY(says(library->remove("a")));
        QCOMPARE(ids(*library), QStringList{"a"});
        QCOMPARE(ids(*RunDatabase::open(m_file, 20ms).value()), QStringList{"a"}); // reading goes on
    }

    void opensNoHistoryThatAnotherProgramHasForItself()
    {
        QVERIFY(RunDatabase::open(m_file).value()->store(entry("a", 1000)).ok());
        const Connection other(m_file, "PRAGMA locking_mode = EXCLUSIVE", "BEGIN IMMEDIATE");
        const auto library = RunDatabase::open(m_file, 20ms);
        QVERIFY(!library.ok());
        QCOMPARE(library.error().kind, ErrorKind::Refused);
        QVERIFY(library.error().message.find("another program has locked") != std::string::npos);
    }

    void storesAllOrNothing()
    {
        auto library = RunDatabase::open(m_file).value();
        {
            const Connection other(m_file, "CREATE TRIGGER full BEFORE INSERT ON runs WHEN NEW.id = 'b' "
                                           "BEGIN SELECT RAISE(ABORT, 'no room'); END");
        }
        QVERIFY(!library->storeAll({entry("a", 1000), entry("b", 2000)}).ok());
        QVERIFY(library->runs().isEmpty());
        QVERIFY(RunDatabase::open(m_file).value()->runs().isEmpty());
        RunEntry tagged = entry("a", 1000);
        tagged.tags = QStringList{"paper"};
        QVERIFY(library->storeAll({tagged, entry("c", 3000)}).ok());
        QCOMPARE(ids(*library), (QStringList{"c", "a"}));
        QCOMPARE(RunDatabase::open(m_file).value()->find("a")->tags, QStringList{"paper"});
    }

    void rowsFollowTheHistory()
    {
        auto library = RunDatabase::open(m_file).value();
        RunListModel model(*library);
        QAbstractItemModelTester tester(&model);
        QVERIFY(library->store(entry("a", 1000)).ok());
        QVERIFY(library->store(entry("b", 2000)).ok());
        QCOMPARE(model.rowCount(), 2);
        QCOMPARE(model.index(0, RunListModel::Name).data().toString(), QString("bert-b"));
        RunEntry done = entry("a", 1000);
        done.state = RunState::Finished;
        QVERIFY(library->store(done).ok());
        QCOMPARE(model.index(1, RunListModel::State).data().toString(), QString("✓ finished"));
        QVERIFY(library->remove("b").ok());
        QCOMPARE(model.rowCount(), 1);
    }

    void aFinishedRunIsNotCalledLost()
    {
        auto library = RunDatabase::open(m_file).value();
        RunListModel model(*library);
        QVERIFY(library->store(entry("a", 1000)).ok());
        model.setDisplayState("a", RunDisplayState::LinkLost);
        QCOMPARE(model.index(0, 0).data().toString(), QString("◌ link lost, still running"));
        RunEntry done = entry("a", 1000);
        done.state = RunState::Failed;
        QVERIFY(library->store(done).ok());
        QCOMPARE(model.index(0, 0).data().toString(), QString("✕ failed"));
    }

    void filterFindsAllWordsAnywhere_data()
    {
        QTest::addColumn<QString>("search");
        QTest::addColumn<int>("found");
        QTest::newRow("nothing typed") << "" << 2;
        QTest::newRow("name") << "BERT-a" << 1;
        QTest::newRow("host and tag") << "gpu-02 paper" << 1;
        QTest::newRow("state") << "running" << 2;
        QTest::newRow("no match") << "gpt" << 0;
        QTest::newRow("pattern characters mean themselves") << "b.*" << 0;
    }

    void filterFindsAllWordsAnywhere()
    {
        auto library = RunDatabase::open(m_file).value();
        QVERIFY(library->store(entry("a", 1000)).ok());
        QVERIFY(library->store(entry("b", 2000)).ok());
        QVERIFY(library->setTags("b", {"paper"}).ok());
        RunListModel model(*library);
        RunFilter filter;
        filter.setSourceModel(&model);
        QAbstractItemModelTester tester(&filter);
        QFETCH(QString, search);
        filter.setSearch(search);
        QTEST(filter.rowCount(), "found");
    }

    void sortsByMetrics()
    {
        auto library = RunDatabase::open(m_file).value();
        RunEntry fast = entry("fast", 1000);
        fast.sequencesPerSecond = 1000;
        RunEntry slow = entry("slow", 2000);
        slow.sequencesPerSecond = 99;
        QVERIFY(library->store(fast).ok());
        QVERIFY(library->store(slow).ok());
        RunListModel model(*library);
        RunFilter filter;
        filter.setSourceModel(&model);
        filter.sort(RunListModel::Throughput, Qt::AscendingOrder);
        QCOMPARE(filter.index(0, RunListModel::Name).data().toString(), QString("bert-slow"));
    }

private:
    std::unique_ptr<QTemporaryDir> m_folder;
    QString m_file;
};

QTEST_GUILESS_MAIN(TestRunLibrary)
#include "tst_run_library.moc"
