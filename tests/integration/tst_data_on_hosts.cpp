#include <QDir>
#include <QFile>
#include <QTest>

#include "tests/integration/cli_fixture.h"

using namespace trainyard::test;

/// The command line's data commands for a host say what they say here; the host is this machine, through the
/// real agent.
class TestDataOnHosts : public QObject {
    Q_OBJECT

private slots:
    void initTestCase()
    {
        QString why;
        QVERIFY2(m_cli.makeDataset(&why), qPrintable(why));
    }

    void verifyGivesTheSameReport_data()
    {
        QTest::addColumn<QStringList>("options");
        QTest::addRow("text") << QStringList{};
        QTest::addRow("json with samples") << QStringList{"--json", "--sample", "3"};
    }
    void verifyGivesTheSameReport()
    {
        QFETCH(QStringList, options);
        const QStringList command = QStringList{"verify", m_cli.dataset()} + options;
        const CliResult here = m_cli.run(command);
        const CliResult there = m_cli.run(command + QStringList{"--host", "localhost"});
        QCOMPARE(here.status, 0);
        QVERIFY2(there.status == 0, qPrintable(there.err));
        QCOMPARE(there.out, here.out);
        QVERIFY(!m_cli.run({"runs"}).out.contains("verify")); // the job leaves nothing but its answer
    }

    void aDamagedSetIsSaidWithItsStatus()
    {
        const QString damaged = m_cli.path("damaged");
        QVERIFY(QDir().mkpath(damaged));
        for (const QString& file : QDir(m_cli.dataset()).entryList(QDir::Files))
            QVERIFY(QFile::copy(m_cli.dataset() + '/' + file, damaged + '/' + file));
        QFile vocabulary(damaged + "/vocab.txt");
        QVERIFY(vocabulary.open(QIODevice::Append));
        vocabulary.write("another\n");
        vocabulary.close();
        const CliResult there = m_cli.run({"verify", damaged, "--host", "localhost"});
        QCOMPARE(there.status, 2);
        QVERIFY2(there.err.contains("vocab.txt"), qPrintable(there.err));
    }

    void whatCannotBeCheckedIsSaid()
    {
        CliResult there = m_cli.run({"verify", "/nothing/here", "--host", "localhost"});
        QCOMPARE(there.status, 2);
        QVERIFY2(there.err.contains("/nothing/here"), qPrintable(there.err));
        there = m_cli.run({"verify", "relative", "--host", "localhost", "--sample", "2"});
        QCOMPARE(there.status, 2);
        QVERIFY2(there.err.contains("absolute path"), qPrintable(there.err));
        there = m_cli.run({"verify", "--host", "localhost"});
        QCOMPARE(there.status, 2);
    }

    void severalHostsTellWhatTheyCannotDo()
    {
        const auto said = [this](const QStringList& options) {
            const CliResult result = m_cli.run(
                QStringList{"prepare", "/d/1.xml", "--out", "/d/set", "--host", "a", "--host", "b"} +
                options);
            return QString("%1: %2").arg(result.status).arg(result.err);
        };
        QVERIFY2(said({"--train-vocab", "1000"}).startsWith("2: trainyard: "),
                 qPrintable(said({"--train-vocab", "1000"})));
        QVERIFY(said({"--train-vocab", "1000"}).contains("vocabulary"));
        QVERIFY(said({"--vocab", "/d/v.txt", "--colour", "red"}).contains("unknown"));
        QVERIFY(said({"--vocab", "/d/v.txt", "c:/d/2.xml"}).contains("c:/d/2.xml"));
    }

private:
    CliFixture m_cli;
};

QTEST_GUILESS_MAIN(TestDataOnHosts)
#include "tst_data_on_hosts.moc"
