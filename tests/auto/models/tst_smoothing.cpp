#include <QTest>

#include <cmath>
#include <limits>

#include "app/models/smoothing.h"

using namespace trainyard;

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

void compare(const QList<double>& actual, const QList<double>& expected)
{
    QCOMPARE(actual.size(), expected.size());
    for (qsizetype i = 0; i < actual.size(); ++i) {
        if (std::isnan(expected[i]))
            QVERIFY(std::isnan(actual[i]));
        else
            QVERIFY2(std::fabs(actual[i] - expected[i]) < 1e-12,
                     qPrintable(QString::number(actual[i], 'g', 15)));
    }
}

} // namespace

class TestSmoothing : public QObject {
    Q_OBJECT

private slots:
    void classicAverageAsCalculatedByHand()
    {
        // w = 0.5: last 2, 3, 2.5; 1 - w^n: 1/2, 3/4, 7/8
        compare(classicAverage({4, 4 + 0.0, 2}, 0.5), {4, 4, (0.5 * (0.5 * 2 + 2) + 1) / 0.875});
        compare(classicAverage({8, 4}, 0.5), {8, 4 / 0.75});
    }

    void timeWeightedAverageAsCalculatedByHand()
    {
        // weight 0.25 gives w = 0.5; the range is 1000, so the decay is 0.5 to the power of the distance in
        // x.
        const QList<double> x{0, 1, 3, 1000};
        const QList<double> y{8, 4, 2, 6};
        const double first = 8;
        const double second = (8 * 0.5 + 4) / (1 * 0.5 + 1);
        const double third = ((8 * 0.5 + 4) * 0.25 + 2) / (1.5 * 0.25 + 1);
        compare(timeWeightedAverage(x, y, 0.25), {first, second, third, 6});
    }

    void timeWeightedAverageLooksTheSameAtTwiceTheCadence()
    {
        QList<double> x, y, denseX, denseY;
        for (int i = 0; i <= 2000; ++i) {
            denseX.append(i);
            denseY.append(std::sin(i / 300.0));
            if (i % 2 == 0) {
                x.append(i);
                y.append(std::sin(i / 300.0));
            }
        }
        const auto sparse = timeWeightedAverage(x, y, 0.9);
        const auto dense = timeWeightedAverage(denseX, denseY, 0.9);
        for (qsizetype i = 100; i < sparse.size(); ++i)
            QVERIFY(std::fabs(sparse[i] - dense[2 * i]) < 0.003); // half a step of the steepest slope
    }

    void constantSeriesStayAsTheyAre_data()
    {
        QTest::addColumn<int>("kind");
        QTest::newRow("time-weighted") << int(SmoothingKind::TimeWeighted);
        QTest::newRow("classic") << int(SmoothingKind::Classic);
    }

    void constantSeriesStayAsTheyAre()
    {
        QFETCH(int, kind);
        compare(smoothed({1, 2, 3}, {5, 5, 5}, {SmoothingKind(kind), 0.9}), {5, 5, 5});
    }

    void whatIsNotFiniteComesOutAndCountsForNothing_data() { constantSeriesStayAsTheyAre_data(); }

    void whatIsNotFiniteComesOutAndCountsForNothing()
    {
        QFETCH(int, kind);
        const Smoothing smoothing{SmoothingKind(kind), 0.8};
        const auto with = smoothed({1, 2, 3, 4}, {9, kNaN, 7, 6}, smoothing);
        const auto without = smoothed({1, 3, 4}, {9, 7, 6}, smoothing);
        compare(with, {without[0], kNaN, without[1], without[2]});
    }

    void weightZeroIsTheRawCurve()
    {
        compare(smoothed({1, 2, 3}, {9, 1, 4}, {SmoothingKind::TimeWeighted, 0}), {9, 1, 4});
        compare(smoothed({}, {}, {}), {});
        compare(smoothed({7}, {3}, {}), {3});
    }
};

QTEST_APPLESS_MAIN(TestSmoothing)
#include "tst_smoothing.moc"
