#include <QTest>

#include <cmath>

#include "app/plan/scaling_table.h"

using namespace trainyard;

class TestScalingTable : public QObject {
    Q_OBJECT

private slots:
    void comparesEachWorldSizeWithTheSmallest()
    {
        const auto rows = scalingTable({{"c", 4, 64, 300}, {"a", 1, 64, 100}, {"b", 2, 64, 180}});
        QCOMPARE(rows.size(), 3);
        QCOMPARE(rows[0].worldSize, 1);
        QCOMPARE(rows[0].efficiency, 1.0);
        QCOMPARE(rows[1].speedup, 1.8);
        QCOMPARE(rows[1].efficiency, 0.9);
        QCOMPARE(rows[2].speedup, 3.0);
        QCOMPARE(rows[2].efficiency, 0.75);
    }

    void startsFromTheSmallestThatWasMeasured()
    {
        const auto rows = scalingTable({{"b", 2, 64, 180}, {"c", 8, 64, 540}});
        QCOMPARE(rows[1].efficiency, 0.75); // 3 times the throughput on 4 times the ranks
    }

    void takesTheBestOfEqualSizes()
    {
        const auto rows = scalingTable({{"a", 1, 64, 90}, {"b", 1, 32, 100}, {"c", 2, 64, 150}});
        QCOMPARE(rows[0].runId, QString("b"));
        QCOMPARE(rows[0].runs, 2);
        QCOMPARE(rows[1].speedup, 1.5);
    }

    void costToTheTargetIsPriceTimesTime()
    {
        ScalingPoint one{"a", 1, 64, 100, TimeToTarget{1000, 2.5, 7200, 1e6}, {10, "USD", "2023-06"}};
        ScalingPoint two{"b", 2, 64, 180, std::nullopt, {20, "USD", "2023-06"}};
        const auto rows = scalingTable({one, two});
        QCOMPARE(rows[0].costToTarget(), std::optional(20.0));
        QVERIFY(!rows[1].costToTarget()); // not reached
        one.price = {};
        QVERIFY(!scalingTable({one, two})[0].costToTarget());
    }

    void oneSizeIsNoStudy()
    {
        QVERIFY(scalingTable({{"a", 2, 64, 90}, {"b", 2, 64, 95}}).isEmpty());
        QVERIFY(scalingTable({{"a", 1, 64, 90}, {"b", 2, 64, std::nan("")}}).isEmpty());
        QVERIFY(scalingTable({}).isEmpty());
    }
};

QTEST_APPLESS_MAIN(TestScalingTable)
#include "tst_scaling_table.moc"
