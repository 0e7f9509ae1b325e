#include <QTemporaryDir>
#include <QTest>

#include "engine/base/counted.h"
#include "engine/base/file.h"
#include "engine/base/hash.h"
#include "engine/base/units.h"

using namespace trainyard;

class TestBase : public QObject {
    Q_OBJECT

private slots:
    void nounsFollowTheirNumber()
    {
        QCOMPARE(counted(1, "row"), std::string("1 row"));
        QCOMPARE(counted(0, "row"), std::string("0 rows"));
        QCOMPARE(counted(2, "batch"), std::string("2 batches"));
        QCOMPARE(counted(2, "pass"), std::string("2 passes"));
        QCOMPARE(counted(3, "entry"), std::string("3 entries"));
        QCOMPARE(counted(3, "day"), std::string("3 days"));
        QCOMPARE(nounFor(1, "entry"), std::string("entry"));
    }

    void showsThreeDigitsOfBytes_data()
    {
        QTest::addColumn<quint64>("bytes");
        QTest::addColumn<QString>("text");
        QTest::addRow("bytes") << quint64{999} << "999 B";
        QTest::addRow("KiB") << quint64{1536} << "1.50 KiB";
        QTest::addRow("GiB") << quint64{29'420'000'000} << "27.4 GiB";
        QTest::addRow("next unit, not 1024") << quint64{1'073'700'000} << "1.00 GiB";
    }
    void showsThreeDigitsOfBytes()
    {
        QFETCH(quint64, bytes);
        QTEST(QString::fromStdString(formatBytes(bytes)), "text");
    }

    void readsBytesOnlyWithABinaryUnit_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<qint64>("bytes"); // -1: refused
        QTest::addRow("MiB") << "25 MiB" << qint64{26'214'400};
        QTest::addRow("fraction, no space") << "1.5KiB" << qint64{1536};
        QTest::addRow("decimal unit") << "25 MB" << qint64{-1};
        QTest::addRow("no unit") << "25" << qint64{-1};
        QTest::addRow("negative") << "-1 MiB" << qint64{-1};
        QTest::addRow("words") << "lots" << qint64{-1};
    }
    void readsBytesOnlyWithABinaryUnit()
    {
        QFETCH(QString, text);
        const auto parsed = parseBytes(text.toStdString());
        QTEST(parsed.ok() ? qint64(parsed.value()) : qint64{-1}, "bytes");
    }

    void readsDurations()
    {
        QCOMPARE(parseDuration("15 s").value().count(), 15'000);
        QCOMPARE(parseDuration("1.5 h").value().count(), 5'400'000);
        QVERIFY(!parseDuration("3 fortnights").ok());
    }

    void knowsTheSha256OfAbc()
    {
        QCOMPARE(QString::fromStdString(sha256Hex("abc")),
                 "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"); // FIPS 180-2, B.1
    }

    void replacesAFileInOneStep()
    {
        QTemporaryDir folder;
        const std::filesystem::path file = folder.filePath("value.txt").toStdString();
        QVERIFY(writeFileAtomically(file, "old").ok());
        QVERIFY(writeFileAtomically(file, "new").ok());
        QCOMPARE(QString::fromStdString(readFile(file).value()), "new");
    }

    void leavesTheOldFileWhenPublishingFails()
    {
        QTemporaryDir folder;
        const std::filesystem::path file = folder.filePath("value.txt").toStdString();
        QVERIFY(writeFileAtomically(file, "old").ok());
        const auto status = publishAtomically(file, [](const std::filesystem::path& temporary) -> Status {
            if (const auto half = writeFileAtomically(temporary, "half"); !half.ok())
                return half;
            return failed("no space left");
        });
        QVERIFY(!status.ok());
        QCOMPARE(QString::fromStdString(readFile(file).value()), "old");
        QCOMPARE(QDir(folder.path()).entryList(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot).size(),
                 1);
    }

    void acceptsOnlySinglePathComponents_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<bool>("plain");
        for (const char* good : {"steps", "node-0", "0001.log", ".hidden"})
            QTest::addRow("%s", good) << good << true;
        for (const char* bad : {"", ".", "..", "a/b", "/etc", "new\nline", "\x1b[2J"})
            QTest::addRow("<%s>", bad) << bad << false;
    }
    void acceptsOnlySinglePathComponents()
    {
        QFETCH(QString, name);
        QTEST(isPlainName(name.toStdString()), "plain");
    }
};

QTEST_APPLESS_MAIN(TestBase)
#include "tst_base.moc"
