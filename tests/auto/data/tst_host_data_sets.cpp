#include <QAbstractItemModelTester>
#include <QDir>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include "app/data/model/host_data_sets.h"
#include "remote/wire/data_set_content.h"
#include "tests/auto/data/made_data_set.h"
#include "tests/support/patience.h"

using namespace trainyard;

/// The list of data sets on hosts; the host is this machine, through the real agent.
class TestHostDataSets : public QObject {
    Q_OBJECT

private slots:
    void init()
    {
        m_dir = std::make_unique<QTemporaryDir>();
        qputenv("TRAINYARD_BIN", TRAINYARD_BIN_DIR);
        TargetOptions options;
        options.agentRoot = m_dir->filePath("agent");
        m_pool = std::make_unique<TargetPool>(options);
        putDataSet("books", 1);
        putDataSet("wiki", 2);
        m_sets = std::make_unique<HostDataSets>(*m_pool);
    }
    void cleanup()
    {
        m_sets.reset();
        m_pool.reset();
        qunsetenv("TRAINYARD_BIN");
    }

    void listsWhatTheHostHas()
    {
        QAbstractItemModelTester tester(m_sets.get(), QAbstractItemModelTester::FailureReportingMode::QtTest);
        load();
        QCOMPARE(m_sets->rowCount(), 2);
        QVERIFY(textAt(0, HostDataSets::Name).startsWith("books-"));
        QVERIFY(textAt(1, HostDataSets::Name).startsWith("wiki-"));
        QCOMPARE(textAt(0, HostDataSets::Host), QString("localhost"));
        const QString sent = textAt(0, HostDataSets::Sent);
        QVERIFY2(sent == "just now" || sent.endsWith(" ago"), qPrintable(sent));
        QCOMPARE(textAt(0, HostDataSets::LastUsed), QString("no run"));
    }

    void namesTheRunThatUsedItLast()
    {
        load();
        const QString run = "20260101T000000Z-bert-00aa";
        const QString folder = m_dir->filePath("agent/runs/" + run);
        QVERIFY(QDir().mkpath(folder + "/attempts/1")); // it was launched
        QVERIFY(
            writeFileAtomically((folder + "/spec.json").toStdString(),
                                "{\"dataset\": {\"path\": \"" + m_sets->at(1).folder.toStdString() + "\"}}")
                .ok());
        load();
        QCOMPARE(textAt(0, HostDataSets::LastUsed), QString("no run"));
        QCOMPARE(textAt(1, HostDataSets::LastUsed), run);
    }

    /// Its agent is no program that can be started.
    void countsHostsThatDoNotAnswer()
    {
        TargetOptions options;
        options.agentRoot = m_dir->filePath("agent");
        qputenv("TRAINYARD_BIN", m_dir->path().toLocal8Bit());
        TargetPool pool(options);
        HostDataSets sets(pool);
        QSignalSpy failed(&sets, &HostDataSets::failed);
        sets.load({"localhost"});
        AWAIT_EQUAL(sets.waiting(), 0);
        QCOMPARE(sets.unanswered(), 1);
        QCOMPARE(sets.asked(), 1);
        QCOMPARE(failed.size(), 1);
    }

    void removesARowWhenTheHostHasRemovedIt()
    {
        QAbstractItemModelTester tester(m_sets.get(), QAbstractItemModelTester::FailureReportingMode::QtTest);
        load();
        QSignalSpy removed(m_sets.get(), &HostDataSets::removed);
        m_sets->remove(m_sets->hostOf(0), m_sets->at(0).name);
        QCOMPARE(m_sets->rowCount(), 2); // not before
        AWAIT_EQUAL(removed.size(), 1);
        QCOMPARE(m_sets->rowCount(), 1);
        QVERIFY(textAt(0, HostDataSets::Name).startsWith("wiki-"));
        QCOMPARE(QDir(m_dir->filePath("agent/data")).entryList(QDir::Dirs | QDir::NoDotAndDotDot).size(), 1);
    }

    void keepsARowThatTheHostDoesNotRemove()
    {
        load();
        QSignalSpy failed(m_sets.get(), &HostDataSets::failed);
        m_sets->remove("localhost", "gone-0123456789ab");
        AWAIT_EQUAL(failed.size(), 1);
        QCOMPARE(m_sets->rowCount(), 2);
    }

private:
    void putDataSet(const QString& name, unsigned seed)
    {
        const QString made = m_dir->filePath("made");
        test::makeDataSet(made.toStdString(), 1, 1000, seed);
        const auto content = readDataSetContent(made.toStdString());
        QVERIFY(content.ok());
        const std::string folder = dataSetFolderName(name.toStdString(), content->id);
        QVERIFY(QDir().mkpath(m_dir->filePath("agent/data")));
        QVERIFY(QDir().rename(made, m_dir->filePath("agent/data/" + QString::fromStdString(folder))));
    }
    void load()
    {
        m_sets->load({"localhost"});
        AWAIT_EQUAL(m_sets->waiting(), 0);
    }
    QString textAt(int row, int column) const
    {
        return m_sets->index(row, column).data(Qt::DisplayRole).toString();
    }

    std::unique_ptr<QTemporaryDir> m_dir;
    std::unique_ptr<TargetPool> m_pool;
    std::unique_ptr<HostDataSets> m_sets;
};

QTEST_GUILESS_MAIN(TestHostDataSets)
#include "tst_host_data_sets.moc"
