#include <algorithm>

#include <QTest>

#include "app/monitor/model/rank_logs.h"

using namespace trainyard;

namespace {

/// "1 first" for every line, in order.
QStringList told(const RankLogs& logs)
{
    QStringList lines;
    for (int line = 0; line < logs.size(); ++line)
        lines.append(QStringLiteral("%1 %2").arg(logs.rankOf(line)).arg(logs.text(line).section(' ', -1)));
    return lines;
}

QByteArray at(int second, const QByteArray& word)
{
    return "2026-11-21T09:15:" + QByteArray::number(second).rightJustified(2, '0') + "Z " + word + "\n";
}

std::vector<int> numbers(std::initializer_list<int> list)
{
    return list;
}

} // namespace

class TestRankLogs : public QObject {
    Q_OBJECT

private slots:
    void mergesByTime()
    {
        RankLogs logs({0, 3});
        logs.append(0, at(1, "a") + at(4, "d"));
        const int first = logs.append(3, at(2, "b") + at(3, "c") + at(9, "e"));
        QCOMPARE(told(logs), QStringList({"0 a", "3 b", "3 c", "0 d", "3 e"}));
        QCOMPARE(first, 1);
        QVERIFY(logs.isMerged());
    }

    void keepsTheOrderWithinARank()
    {
        RankLogs logs({0, 1});
        logs.append(0, at(5, "a") + "  hint\n" + at(2, "clock-set-back") + at(6, "b"));
        logs.append(1, at(5, "x") + at(6, "y"));
        QCOMPARE(told(logs), QStringList({"0 a", "0 hint", "0 clock-set-back", "1 x", "0 b", "1 y"}));
    }

    void growsByPiecesOfAnySize_data()
    {
        QTest::addColumn<int>("piece");
        for (const int piece : {1, 5, 29, 1000})
            QTest::addRow("%d bytes", piece) << piece;
    }
    void growsByPiecesOfAnySize()
    {
        QFETCH(int, piece);
        const QList<QByteArray> texts{at(1, "a") + at(3, "c") + at(5, "e"), at(2, "b") + at(4, "d")};
        RankLogs logs({0, 1});
        std::vector<QString> known;
        for (int from = 0; from < texts.first().size(); from += piece) {
            for (int rank = 0; rank < 2; ++rank) {
                const int first = logs.append(rank, texts[rank].mid(from, piece));
                // What is before the line that is returned has not changed.
                for (int line = 0; line < std::min(first, int(known.size())); ++line)
                    QCOMPARE(logs.text(line), known[std::size_t(line)]);
                known.clear();
                for (int line = 0; line < logs.size(); ++line)
                    known.push_back(logs.text(line));
            }
        }
        QCOMPARE(told(logs), QStringList({"0 a", "1 b", "0 c", "1 d", "0 e"}));
    }

    void findsLinesAndMoments()
    {
        RankLogs logs({0, 1});
        logs.append(0, at(1, "one") + at(3, "error:one"));
        logs.append(1, at(2, "two") + at(4, "ONE"));
        QCOMPARE(logs.linesWith("one"), numbers({0, 2, 3}));
        QCOMPARE(logs.linesWith("one", 1), numbers({2, 3}));
        QCOMPARE(logs.linesWith("none"), numbers({}));
        QCOMPARE(logs.linesOf(LogLevel::Error), numbers({2}));
        QCOMPARE(logs.lineAt(*logs.timeMs(1)), 1);
        QCOMPARE(logs.lineAt(*logs.timeMs(1) + 999), 1);
        QCOMPARE(logs.lineAt(*logs.timeMs(0) - 1), -1);
    }

    void knowsALineAgainWhenOthersCameBetween()
    {
        RankLogs logs({0, 1});
        logs.append(0, at(1, "a") + at(5, "b"));
        const RankLogs::Place place = logs.placeOf(1);
        logs.append(1, at(2, "x") + at(3, "y"));
        QCOMPARE(logs.lineOf(place), 3);
        QCOMPARE(logs.lineOf(logs.placeOf(-1)), -1);
        logs.setRanks({1});
        QCOMPARE(logs.lineOf(place), -1);
    }

    void isOneLogWithOneRank()
    {
        RankLogs logs({2});
        logs.append(2, at(5, "later") + "hint\n" + at(1, "earlier"));
        QCOMPARE(told(logs), QStringList({"2 later", "2 hint", "2 earlier"}));
        QCOMPARE(*logs.timeMs(1), *logs.timeMs(0));
        QCOMPARE(logs.append(7, "of nobody\n"), 3);
        QCOMPARE(logs.size(), 3);
    }

    void understandsChoicesOfRanks_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<std::optional<std::vector<int>>>("ranks");
        QTest::addColumn<QString>("shown");
        using Ranks = std::optional<std::vector<int>>;
        QTest::addRow("one") << "3" << Ranks(numbers({3})) << "3";
        QTest::addRow("some") << " 0 - 2,5, 1 " << Ranks(numbers({0, 1, 2, 5})) << "0-2, 5";
        QTest::addRow("all") << "All" << Ranks(numbers({0, 1, 2, 3, 4, 5, 6, 7})) << "all";
        for (const char* none : {"", "8", "-1", "2-1", "a", "1-2-3", "1,,2"})
            QTest::addRow("\"%s\"", none) << none << Ranks() << "";
    }
    void understandsChoicesOfRanks()
    {
        QFETCH(QString, text);
        QFETCH(std::optional<std::vector<int>>, ranks);
        QFETCH(QString, shown);
        QCOMPARE(ranksFrom(text, 8), ranks);
        if (ranks)
            QCOMPARE(textOf(*ranks, 8), shown);
    }
};

QTEST_GUILESS_MAIN(TestRankLogs)
#include "tst_rank_logs.moc"
