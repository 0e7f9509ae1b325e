#include <QDateTime>
#include <QTest>

#include "app/monitor/model/rank_logs.h"

using namespace trainyard;

namespace {

LogLines logOf(const QByteArray& text)
{
    LogLines lines;
    lines.append(text);
    return lines;
}

std::vector<int> numbers(std::initializer_list<int> list)
{
    return list;
}

} // namespace

class TestLogLines : public QObject {
    Q_OBJECT

private slots:
    void growsByPiecesOfAnySize_data()
    {
        QTest::addColumn<int>("piece");
        for (const int piece : {1, 2, 3, 7, 100})
            QTest::addRow("%d bytes", piece) << piece;
    }
    void growsByPiecesOfAnySize()
    {
        QFETCH(int, piece);
        const QByteArray text = "first\n\nerror: third\nhalf of the four";
        LogLines lines;
        for (qsizetype at = 0; at < text.size(); at += piece)
            lines.append(text.mid(at, piece));
        QCOMPARE(lines.size(), 4);
        QCOMPARE(lines.text(0), QString("first"));
        QCOMPARE(lines.text(1), QString());
        QCOMPARE(lines.level(2), LogLevel::Error);
        QCOMPARE(lines.text(3), QString("half of the four"));
        lines.append("th\n");
        QCOMPARE(lines.size(), 4);
        QCOMPARE(lines.text(3), QString("half of the fourth"));
    }

    void showsNothingThatActs_data()
    {
        QTest::addColumn<QByteArray>("line");
        QTest::addColumn<QString>("shown");
        QTest::addRow("colours") << QByteArray("\x1b[1;31mred\x1b[0m text") << QString("red text");
        QTest::addRow("cut escape") << QByteArray("end \x1b[31") << QString("end ");
        QTest::addRow("title of the terminal") << QByteArray("\x1b]0;x\x07y") << QString("\ufffd]0;x\ufffdy");
        QTest::addRow("progress") << QByteArray("10 %\r50 %\r100 %\r") << QString("100 %");
        QTest::addRow("no UTF-8") << QByteArray("a\xff"
                                                "b")
                                  << QString("a\ufffdb");
    }
    void showsNothingThatActs()
    {
        QFETCH(QByteArray, line);
        QFETCH(QString, shown);
        QCOMPARE(logOf(line + '\n').text(0), shown);
    }

    void soundsAsBadAsItsWords_data()
    {
        QTest::addColumn<QByteArray>("line");
        QTest::addColumn<int>("level");
        QTest::addRow("step") << QByteArray("step 10  loss 9.1") << int(LogLevel::Info);
        QTest::addRow("LibTorch") << QByteArray("[W1122 socket.cpp:204] retrying") << int(LogLevel::Warning);
        QTest::addRow("Python's") << QByteArray("UserWarning: x") << int(LogLevel::Warning);
        QTest::addRow("ours") << QByteArray("2026-11-21T09:15:05Z error: no space") << int(LogLevel::Error);
        QTest::addRow("a figure of ours")
            << QByteArray(
                   "2026-11-21T09:15:05Z float32 products by oneDNN: 84 GFLOP/s BLAS, 194 GFLOP/s oneDNN "
                   "with relative error 1.0e-06")
            << int(LogLevel::Info);
        QTest::addRow("a figure in a complaint")
            << QByteArray("Error: relative error 0.3 is too large") << int(LogLevel::Error);
        QTest::addRow("CUDA") << QByteArray("CUDA out of memory") << int(LogLevel::Error);
    }
    void soundsAsBadAsItsWords()
    {
        QFETCH(QByteArray, line);
        QFETCH(int, level);
        QCOMPARE(int(levelOfLogLine(line.toStdString())), level);
    }

    void findsLinesInAnyCaseOnce()
    {
        const LogLines lines = logOf("Loss loss\nnothing\nLOSS\nthe lo\nss\nloss at the end");
        QCOMPARE(lines.linesWith("loss"), numbers({0, 2, 5}));
        QCOMPARE(lines.linesWith("loss", 1), numbers({2, 5}));
        QCOMPARE(lines.linesWith(""), numbers({}));
        QCOMPARE(lines.linesWith("gradient"), numbers({}));
    }

    void findsTheLineOfAMoment()
    {
        const LogLines lines = logOf("2026-11-21T09:15:05Z a\n  more of a\n2026-11-21T09:15:09Z b\n");
        const qint64 first = QDateTime::fromString("2026-11-21T09:15:05Z", Qt::ISODate).toMSecsSinceEpoch();
        QCOMPARE(lines.timeMs(0).value(), std::int64_t(first));
        QVERIFY(!lines.timeMs(1));
        QCOMPARE(lines.lineAt(first - 1), -1);
        QCOMPARE(lines.lineAt(first + 2000), 1);
        QCOMPARE(lines.lineAt(first + 4000), 2);
        QCOMPARE(lines.lineAt(first + 86'400'000), 2);
    }

    void holdsAMillionLines()
    {
        LogLines lines;
        QByteArray piece;
        for (int i = 0; i < 10'000; ++i)
            piece += "2026-11-21T09:15:05Z step " + QByteArray::number(i) + "  loss 7.1234  1203.4 seq/s\n";
        for (int i = 0; i < 100; ++i)
            lines.append(piece);
        QCOMPARE(lines.size(), 1'000'000);
        QCOMPARE(lines.linesWith("step 9999 ").size(), std::size_t(100));
        QCOMPARE(lines.linesWith("step 9999 ").back(), 999'999);
        QCOMPARE(lines.level(999'999), LogLevel::Info);
        QVERIFY(lines.text(999'999).contains("step 9999"));
    }
};

QTEST_APPLESS_MAIN(TestLogLines)
#include "tst_log_lines.moc"
