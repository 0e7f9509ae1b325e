#include <QTemporaryDir>
#include <QTest>

#include "engine/base/file.h"
#include "remote/agent/runs/run_requests.h"

using namespace trainyard;
using namespace trainyard::agent;
using std::chrono::milliseconds;

/// What a run is asked for by files in its control folder.
class TestRunRequests : public QObject {
    Q_OBJECT

private slots:
    void init()
    {
        m_dir = std::make_unique<QTemporaryDir>();
        m_run = std::make_unique<RunFolder>(m_dir->path().toStdString(), "run");
    }

    void asksForAnEndWithACheckpoint()
    {
        QVERIFY(!isAskedToEnd(*m_run));
        QVERIFY(!askedGrace(*m_run, milliseconds(15000)));
        QVERIFY(askToEnd(*m_run, {milliseconds(3000), true}).ok());
        QVERIFY(isAskedToEnd(*m_run));
        QVERIFY(!isAskedToAbort(*m_run));
        QVERIFY(askedGrace(*m_run, milliseconds(15000)) == milliseconds(3000));
    }

    void asksForAnEndAtOnceToo()
    {
        QVERIFY(askToEnd(*m_run, {milliseconds(3000), true}).ok());
        QVERIFY(askToEnd(*m_run, {milliseconds(3000), false}).ok());
        QVERIFY(isAskedToAbort(*m_run));
        QVERIFY(isAskedToEnd(*m_run));
    }

    void replacesOnlyARequestThatSaysSomethingElse()
    {
        QVERIFY(askToEnd(*m_run, {milliseconds(3000), true}).ok());
        const auto first = std::filesystem::last_write_time(m_run->stopRequest()) - std::chrono::hours(1);
        std::filesystem::last_write_time(m_run->stopRequest(), first);
        QVERIFY(askToEnd(*m_run, {milliseconds(3000), true}).ok());
        QVERIFY(std::filesystem::last_write_time(m_run->stopRequest()) == first);
        QVERIFY(askToEnd(*m_run, {milliseconds(9000), true}).ok());
        QVERIFY(askedGrace(*m_run, milliseconds(15000)) == milliseconds(9000));
    }

    void takesFilesMadeByHand_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::newRow("empty") << QByteArray();
        QTest::newRow("no JSON") << QByteArray("please");
        QTest::newRow("no object") << QByteArray("[1]");
        QTest::newRow("no number") << QByteArray(R"({"grace_ms":"3000"})");
        QTest::newRow("negative") << QByteArray(R"({"grace_ms":-1})");
    }
    void takesFilesMadeByHand()
    {
        QFETCH(QByteArray, text);
        QVERIFY(makeFolder(m_run->control()).ok());
        QVERIFY(writeFileAtomically(m_run->stopRequest(), text.toStdString()).ok());
        QVERIFY(askedGrace(*m_run, milliseconds(15000)) == milliseconds(15000));
    }

    void forgetsThemAll()
    {
        QVERIFY(askToEnd(*m_run, {milliseconds(3000), true}).ok());
        QVERIFY(askToEnd(*m_run, {milliseconds(3000), false}).ok());
        QVERIFY(askForCheckpoint(*m_run).ok());
        QVERIFY(std::filesystem::exists(m_run->checkpointRequest()));
        removeRequests(*m_run);
        QVERIFY(!isAskedToEnd(*m_run));
        QVERIFY(std::filesystem::is_empty(m_run->control()));
    }

private:
    std::unique_ptr<QTemporaryDir> m_dir;
    std::unique_ptr<RunFolder> m_run;
};

QTEST_GUILESS_MAIN(TestRunRequests)
#include "tst_run_requests.moc"
