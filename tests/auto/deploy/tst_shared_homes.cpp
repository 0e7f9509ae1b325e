#include <QTest>

#include "remote/deploy/shared_homes.h"

using namespace trainyard;

namespace {

/// What the hosts find when each one looks as it is told: `order` says who looks when, `disk` who is on
/// which.
QList<int> goAhead(SharedHomes& homes, const QList<int>& order, const QList<int>& disk)
{
    QList<int> ahead;
    QSet<int> marked;
    for (const int host : order) {
        marked << host;
        QSet<QString> seen;
        for (const int other : marked) {
            if (other != host && disk[other] == disk[host])
                seen << homes.marks()[other];
        }
        if (homes.meet(host, seen))
            ahead << host;
    }
    return ahead;
}

} // namespace

class TestSharedHomes : public QObject {
    Q_OBJECT

private slots:
    void marksAreFreshAndDiffer()
    {
        const SharedHomes homes(3), later(3);
        QSet<QString> all;
        for (const QString& mark : homes.marks() + later.marks())
            all << mark;
        QCOMPARE(all.size(), 6);
    }

    void oneHostPerDiskGoesAhead_data()
    {
        QTest::addColumn<QList<int>>("order");
        QTest::addColumn<QList<int>>("disk");
        QTest::addColumn<QList<int>>("ahead");
        QTest::addRow("own disks") << QList<int>{0, 1, 2} << QList<int>{0, 1, 2} << QList<int>{0, 1, 2};
        QTest::addRow("one disk") << QList<int>{0, 1, 2} << QList<int>{0, 0, 0} << QList<int>{0};
        QTest::addRow("one disk, another order")
            << QList<int>{2, 0, 1} << QList<int>{0, 0, 0} << QList<int>{2};
        QTest::addRow("two disks") << QList<int>{3, 1, 2, 0} << QList<int>{0, 1, 0, 1} << QList<int>{3, 2};
    }
    void oneHostPerDiskGoesAhead()
    {
        QFETCH(QList<int>, order);
        QFETCH(QList<int>, disk);
        QFETCH(QList<int>, ahead);
        SharedHomes homes(static_cast<int>(disk.size()));
        QCOMPARE(goAhead(homes, order, disk), ahead);
    }

    /// The one that looked first saw nothing; the other one's look counts for both, in whatever order the
    /// desk hears of them.
    void sightCountsBothWays()
    {
        SharedHomes homes(2);
        QVERIFY(homes.meet(1, {homes.marks()[0]}));
        QVERIFY(!homes.meet(0, {}));
    }

    void followersOfAFollowerFollowItsLeader()
    {
        SharedHomes homes(3);
        QVERIFY(homes.meet(0, {}));
        QVERIFY(!homes.meet(1, {homes.marks()[0]}));
        QVERIFY(!homes.meet(2, {homes.marks()[1]}));
        QCOMPARE(homes.release(0, true), QList<int>({1, 2}));
    }

    void anotherGoesAheadWhenTheFirstFails()
    {
        SharedHomes homes(3);
        goAhead(homes, {0, 1, 2}, {0, 0, 0});
        QCOMPARE(homes.release(0, false), QList<int>{1});
        QCOMPARE(homes.release(1, true), QList<int>{2});
        QCOMPARE(homes.release(2, true), QList<int>());
    }

    void nobodyFollowsOneThatFailedAlready()
    {
        SharedHomes homes(2);
        QVERIFY(homes.meet(0, {}));
        QCOMPARE(homes.release(0, false), QList<int>());
        QVERIFY(homes.meet(1, {homes.marks()[0]}));
    }

    void whoComesLateFindsItThere()
    {
        SharedHomes homes(2);
        QVERIFY(homes.meet(0, {}));
        QCOMPARE(homes.release(0, true), QList<int>());
        QVERIFY(homes.meet(1, {homes.marks()[0]}));
    }
};

QTEST_GUILESS_MAIN(TestSharedHomes)
#include "tst_shared_homes.moc"
