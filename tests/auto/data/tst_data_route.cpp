#include <QTest>

#include "remote/data/route_search.h"

using namespace trainyard;

namespace {

using Pairs = QList<QPair<int, int>>;

/// Goes through all rounds; `reached`: who can log in to whom.
RouteSearch searched(int hosts, const Pairs& reached)
{
    RouteSearch search(std::vector<bool>(static_cast<std::size_t>(hosts), false));
    do {
        Pairs now;
        for (int from = 0; from < hosts; ++from) {
            for (const int to : search.triedBy(from)) {
                if (reached.contains({from, to}))
                    now << QPair{from, to};
            }
        }
        for (const auto& [from, to] : now)
            search.reached(from, to);
    } while (search.next());
    return search;
}

} // namespace

/// Which host sends to which: a chain, a tree, or this computer (none).
class TestDataRoute : public QObject {
    Q_OBJECT

private slots:
    void findsASenderForEveryHost_data()
    {
        QTest::addColumn<Pairs>("reached");
        QTest::addColumn<QList<QList<int>>>("senders");
        QTest::addRow("all reach each other") << Pairs{{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}}
                                              << QList<QList<int>>{{}, {0}, {1, 0}, {2, 1, 0}};
        QTest::addRow("only the head reaches the others")
            << Pairs{{0, 1}, {0, 2}, {0, 3}} << QList<QList<int>>{{}, {0}, {0}, {0}};
        QTest::addRow("none reaches another") << Pairs{} << QList<QList<int>>{{}, {}, {}, {}};
        QTest::addRow("two halves") << Pairs{{0, 1}, {2, 3}} << QList<QList<int>>{{}, {0}, {}, {2}};
        QTest::addRow("every other one") << Pairs{{1, 3}} << QList<QList<int>>{{}, {}, {}, {1}};
    }
    void findsASenderForEveryHost()
    {
        QFETCH(Pairs, reached);
        using Senders = QList<QList<int>>;
        QFETCH(Senders, senders);
        const RouteSearch search = searched(4, reached);
        for (int host = 0; host < 4; ++host)
            QCOMPARE(search.sendersOf(host), senders[host]);
    }

    /// sshd drops some of more than ten that have not logged in yet.
    void fewHostsLogInToOneAtATime()
    {
        constexpr int kFleet = 64;
        RouteSearch search(std::vector<bool>(kFleet, false));
        int rounds = 0, logins = 0;
        do {
            QList<int> visits(kFleet, 0);
            for (int from = 0; from < kFleet; ++from) {
                for (const int to : search.triedBy(from))
                    ++visits[to];
            }
            for (const int visitors : visits) {
                QVERIFY(visitors <= 8);
                logins += visitors;
            }
            ++rounds;
        } while (search.next());
        QCOMPARE(rounds, 3);
        QVERIFY(logins <= 10 * kFleet);
    }

    void whereAllReachEachOtherEachLogsInOnce()
    {
        RouteSearch search(std::vector<bool>(10, false));
        for (int from = 0; from < 9; ++from) {
            QCOMPARE(search.triedBy(from), QList<int>{from + 1});
            search.reached(from, from + 1);
        }
        QVERIFY(!search.next());
    }

    void thisMachineNeitherSendsNorReceives()
    {
        const RouteSearch search({false, true, false});
        QVERIFY(search.triedBy(0).isEmpty());
        QVERIFY(search.triedBy(1).isEmpty());
    }
};

QTEST_GUILESS_MAIN(TestDataRoute)
#include "tst_data_route.moc"
