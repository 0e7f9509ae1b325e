#include <QTest>

#include "remote/data/data_route.h"

using namespace trainyard;

/// Which host sends to which: a chain, a tree, or this computer (-1).
class TestDataRoute : public QObject {
    Q_OBJECT

private slots:
    void choosesTheNearestEarlierHost_data()
    {
        QTest::addColumn<QList<QPair<int, int>>>("reached");
        QTest::addColumn<QList<int>>("senders");
        using Pairs = QList<QPair<int, int>>;
        QTest::addRow("all reach each other")
            << Pairs{{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}} << QList<int>{-1, 0, 1, 2};
        QTest::addRow("only the head reaches the others")
            << Pairs{{0, 1}, {0, 2}, {0, 3}} << QList<int>{-1, 0, 0, 0};
        QTest::addRow("none reaches another") << Pairs{} << QList<int>{-1, -1, -1, -1};
        QTest::addRow("two halves") << Pairs{{0, 1}, {2, 3}} << QList<int>{-1, 0, -1, 2};
    }
    void choosesTheNearestEarlierHost()
    {
        using Pairs = QList<QPair<int, int>>;
        QFETCH(Pairs, reached);
        QFETCH(QList<int>, senders);
        QCOMPARE(sendersIn(4, reached), senders);
    }

private:
    static QList<int> sendersIn(int hosts, const QList<QPair<int, int>>& pairs)
    {
        std::vector<std::vector<bool>> reached(static_cast<std::size_t>(hosts),
                                               std::vector<bool>(static_cast<std::size_t>(hosts)));
        for (const auto& [from, to] : pairs)
            reached[static_cast<std::size_t>(from)][static_cast<std::size_t>(to)] = true;
        QList<int> senders;
        for (int host = 0; host < hosts; ++host)
            senders << senderFor(host, reached);
        return senders;
    }
};

QTEST_GUILESS_MAIN(TestDataRoute)
#include "tst_data_route.moc"
