#include <QDirIterator>
#include <QFile>
#include <QRegularExpression>
#include <QTest>

// Tests pass on a machine of any speed when they wait for what must come with the one patience of
// tests/support/patience.h, and when no figure of time proves anything; see tests/README.md.

namespace {

struct Rule {
    QRegularExpression pattern;
    QString instead;
};

const QList<Rule> kRules{
    {QRegularExpression(R"(\bQTRY_(VERIFY|COMPARE)2?\()"),
     "AWAIT or AWAIT_EQUAL: Qt's own loses patience after 5 s"},
    {QRegularExpression(R"(\bQTRY_\w+_WITH_TIMEOUT\(.*, *[0-9'_]+\);)"), "AWAIT or AWAIT_EQUAL"},
    {QRegularExpression(R"(\bqWaitForWindow(Exposed|Active)\([^,]*\)\)?;)"), "kPatienceMs as the time"},
    {QRegularExpression(R"(\b(QVERIFY2?|QCOMPARE)\(.*\belapsed\(\) *<=? *[0-9])"),
     "no limit of time as proof"},
};

/// What is wrong with a line of a test; empty when nothing is.
QString complaint(const QString& line)
{
    for (const Rule& rule : kRules) {
        if (rule.pattern.match(line).hasMatch())
            return rule.instead;
    }
    return {};
}

} // namespace

class TestWaiting : public QObject {
    Q_OBJECT

private slots:
    void testsHaveOnePatience()
    {
        const QDir root(QStringLiteral(TRAINYARD_SOURCE_DIR));
        QStringList complaints;
        int files = 0;
        QDirIterator sources(root.filePath("tests"), {"*.cpp", "*.h"}, QDir::Files,
                             QDirIterator::Subdirectories);
        while (sources.hasNext()) {
            QFile source(sources.next());
            if (source.fileName().endsWith("/tst_waiting.cpp"))
                continue;
            QVERIFY(source.open(QIODevice::ReadOnly));
            ++files;
            int number = 0;
            for (const QByteArray& line : source.readAll().split('\n')) {
                ++number;
                if (const QString instead = complaint(line); !instead.isEmpty())
                    complaints << QString("%1:%2: %3")
                                      .arg(root.relativeFilePath(source.fileName()))
                                      .arg(number)
                                      .arg(instead);
            }
        }
        QVERIFY(files > 300);
        QVERIFY2(complaints.isEmpty(), qPrintable("\n" + complaints.join('\n')));
    }

    void noticesImpatience()
    {
        QVERIFY(!complaint("        QTRY_VERIFY(list.size() == 1);").isEmpty());
        QVERIFY(!complaint("        QTRY_COMPARE_WITH_TIMEOUT(list.size(), 1, 30'000);").isEmpty());
        QVERIFY(!complaint("        QVERIFY(QTest::qWaitForWindowExposed(&window()));").isEmpty());
        QVERIFY(!complaint("        QVERIFY2(timer.elapsed() < 8000, why);").isEmpty());
        QVERIFY(complaint("        QVERIFY(timer.elapsed() < kPatienceMs);").isEmpty());
        QVERIFY(complaint("        AWAIT(list.size() == 1);").isEmpty());
    }
};

QTEST_APPLESS_MAIN(TestWaiting)
#include "tst_waiting.moc"
