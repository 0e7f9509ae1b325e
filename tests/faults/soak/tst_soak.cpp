#include <QCoreApplication>
#include <QDir>
#include <QRandomGenerator>
#include <QTest>

#include "tests/faults/soak/history_check.h"
#include "tests/faults/soak/soak.h"

using namespace trainyard;
using namespace trainyard::soak;

/// Random faults, 20 seconds of them or as many as TRAINYARD_FAULT_SECONDS says (--long: half an hour);
/// afterwards the history must have no flaw. TRAINYARD_SEED or --seed N repeats a round's faults.
class TestSoak : public QObject {
    Q_OBJECT

private slots:
    void leavesTheCurveOfAnUndisturbedRun()
    {
        if (const QString why = lab::NetnsLab::whyNot(); !why.isEmpty())
            QSKIP(qPrintable(why));
        const QByteArray chosen = qgetenv("TRAINYARD_SEED");
        const quint64 seed =
            chosen.isEmpty() ? QRandomGenerator::system()->bounded(1'000'000) : chosen.toULongLong();
        const int seconds = qEnvironmentVariableIntValue("TRAINYARD_FAULT_SECONDS");
        const QString file = historyOf(seed);
        qInfo("TRAINYARD_SEED=%llu, history in %s", seed, qPrintable(file));

        Soak soak(seed, file);
        QString trouble = soak.prepare();
        QVERIFY2(trouble.isEmpty(), qPrintable(trouble));
        trouble = soak.disturb(std::chrono::seconds(seconds > 0 ? seconds : 20));
        QVERIFY2(trouble.isEmpty(), qPrintable(trouble));
        trouble = soak.conclude();
        QVERIFY2(trouble.isEmpty(), qPrintable(trouble));
        qInfo("%s", qPrintable(soak.summary()));
        trouble = soak.follow();
        QVERIFY2(trouble.isEmpty(), qPrintable(trouble));

        const auto history = readHistory(file.toStdString());
        QVERIFY2(history.ok(), history.ok() ? "" : history.error().text().c_str());
        for (const std::string& line : journalOf(*history))
            qInfo("%s", line.c_str());
        qInfo("%s", countsOf(*history).c_str());
        qInfo("largest relative difference of a loss: %g", largestLossDifference(*history));
        for (const std::string& complaint : complaintsAbout(*history))
            QTest::qFail(complaint.c_str(), __FILE__, __LINE__);
    }

private:
    static QString historyOf(quint64 seed)
    {
        const QDir folder(QStringLiteral(TRAINYARD_SOAK_FOLDER));
        folder.mkpath(".");
        return folder.filePath(QString("history-%1.jsonl").arg(seed));
    }
};

/// What is said for this program alone; the rest is for Qt Test.
int main(int argc, char** argv)
{
    QList<char*> others;
    for (int i = 0; i < argc; ++i) {
        if (qstrcmp(argv[i], "--seed") == 0 && i + 1 < argc) {
            qputenv("TRAINYARD_SEED", argv[++i]);
        } else if (qstrcmp(argv[i], "--long") == 0) {
            qputenv("TRAINYARD_FAULT_SECONDS", "1800");
            qputenv("QTEST_FUNCTION_TIMEOUT", "7200000");
        } else {
            others << argv[i];
        }
    }
    int count = int(others.size());
    const QCoreApplication application(count, others.data());
    TestSoak test;
    return QTest::qExec(&test, count, others.data());
}
#include "tst_soak.moc"
