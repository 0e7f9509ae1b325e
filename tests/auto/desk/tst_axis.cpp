#include <QTest>

#include <cmath>
#include <limits>

#include "app/series/axis.h"

using namespace trainyard;

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

QList<double> upTo(int n)
{
    QList<double> values;
    for (int i = 0; i <= n; ++i)
        values.append(i);
    return values;
}

QStringList texts(const QList<double>& ticks, Quantity quantity)
{
    QStringList list;
    for (const double tick : ticks)
        list.append(tickText(tick, quantity));
    return list;
}

} // namespace

class TestAxis : public QObject {
    Q_OBJECT

private slots:
    void showsEverythingWithALittleRoom()
    {
        const AxisRange range = axisRange(upTo(100), {false, false});
        QCOMPARE(range.lower, -5.0);
        QCOMPARE(range.upper, 105.0);
        QCOMPARE(range.outside, 0);
    }

    void aLoneSpikeDoesNotFlattenTheRest()
    {
        QList<double> values = upTo(100);
        values.append(1e6);
        const AxisRange range = axisRange(values, {true, false});
        QVERIFY(range.upper < 160); // 95th percentile 96, widened by half of 91, and a little room
        QCOMPARE(range.outside, 1);
        QCOMPARE(axisRange(values, {false, false}).outside, 0);
    }

    void whatIsKeptIsNeverAnOutlier()
    {
        QList<double> values = upTo(100);
        values.append(1e6);
        const AxisRange range = axisRange(values, {true, false}, {1e6, kNaN});
        QVERIFY(range.upper > 1e6);
        QCOMPARE(range.outside, 0);
    }

    void aSteepStartStaysVisible()
    {
        QList<double> loss;
        for (int step = 0; step < 1000; ++step)
            loss.append(3 + 7 * std::exp(-step / 160.0));
        QCOMPARE(axisRange(loss, {true, false}).outside, 0);
    }

    void nearlyEqualPointsHaveNoOutliers()
    {
        QList<double> values(99, 5.0);
        values.append(6.0);
        QCOMPARE(axisRange(values, {true, false}).outside, 0);
    }

    void whatIsNotFiniteDoesNotCount()
    {
        QCOMPARE(axisRange({kNaN, 1, kInf, 2, -kInf}, {false, false}), axisRange({1, 2}, {false, false}));
    }

    void alwaysHasAWidth_data()
    {
        QTest::addColumn<QList<double>>("values");
        QTest::newRow("nothing") << QList<double>();
        QTest::newRow("one point") << QList<double>{3};
        QTest::newRow("zero") << QList<double>{0, 0};
        QTest::newRow("huge") << QList<double>{1e300, 1e300};
        QTest::newRow("only NaN") << QList<double>{kNaN};
    }

    void alwaysHasAWidth()
    {
        QFETCH(QList<double>, values);
        for (const bool positive : {false, true}) {
            const AxisRange range = axisRange(values, {true, positive});
            QVERIFY(range.lower < range.upper);
            QVERIFY(!positive || range.lower > 0);
        }
    }

    void aLogarithmicAxisCountsWhatItCannotShow()
    {
        const AxisRange range = axisRange({-1, 0, 1, 10}, {false, true});
        QCOMPARE(range.outside, 2);
        QVERIFY(range.lower > 0 && range.lower < 1 && range.upper > 10);
    }

    void ticksAreRound_data()
    {
        QTest::addColumn<double>("lower");
        QTest::addColumn<double>("upper");
        QTest::addColumn<int>("quantity");
        QTest::addColumn<bool>("logarithmic");
        QTest::addColumn<QStringList>("expected");
        const auto row = [](const char* name, double lower, double upper, Quantity quantity, bool log,
                            const QStringList& expected) {
            QTest::newRow(name) << lower << upper << int(quantity) << log << expected;
        };
        row("numbers", 0, 10, Quantity::Number, false, {"0", "2", "4", "6", "8", "10"});
        row("thousands", 0, 7000, Quantity::Number, false, {"0", "2k", "4k", "6k"});
        row("small", 0, 0.001, Quantity::Number, false,
            {"0", "0.0002", "0.0004", "0.0006", "0.0008", "0.001"});
        row("bytes", 0, 1.5 * (1 << 30), Quantity::Bytes, false, {"0", "512 MiB", "1 GiB", "1.5 GiB"});
        row("seconds", 0, 400, Quantity::Seconds, false, {"0", "2 min", "4 min", "6 min"});
        row("hours", 0, 9000, Quantity::Seconds, false, {"0", "30 min", "1 h", "1 h 30", "2 h", "2 h 30"});
        row("milliseconds", 0, 0.4, Quantity::Seconds, false, {"0", "100 ms", "200 ms", "300 ms", "400 ms"});
        row("decades", 0.09, 1100, Quantity::Number, true, {"0.1", "1", "10", "100", "1k"});
        row("one decade", 1, 12, Quantity::Number, true, {"1", "2", "5", "10"});
        row("part of a decade", 3.2, 4.1, Quantity::Number, true, {"3.2", "3.4", "3.6", "3.8", "4"});
        row("negative", -3, 3, Quantity::Number, false, {"-2", "0", "2"});
        row("ranks", 0.95, 2.05, Quantity::Count, false, {"1", "2"});
        row("many steps", 0, 7000, Quantity::Count, false, {"0", "2k", "4k", "6k"});
    }

    void ticksAreRound()
    {
        QFETCH(double, lower);
        QFETCH(double, upper);
        QFETCH(int, quantity);
        QFETCH(bool, logarithmic);
        const auto ticks = axisTicks(lower, upper, {Quantity(quantity), logarithmic, 5});
        QTEST(texts(ticks, Quantity(quantity)), "expected");
    }

    void twoTicksAreTheLeast()
    {
        const auto ticks = axisTicks(0.79, 8.21, {Quantity::Number, false, 2});
        QCOMPARE(texts(ticks, Quantity::Number), QStringList({"2", "4", "6", "8"}));
        QCOMPARE(axisTicks(3, 9, {Quantity::Bytes, false, 1}).size(), 2);
        const auto decades =
            axisTicks(1.5e-6, 2e-3, {Quantity::Number, true, 3}); // two apart, one would be left
        QCOMPARE(texts(decades, Quantity::Number), QStringList({"1e-5", "0.0001", "0.001"}));
    }
};

QTEST_APPLESS_MAIN(TestAxis)
#include "tst_axis.moc"
