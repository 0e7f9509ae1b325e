#include <QTest>

#include <cmath>
#include <limits>

#include "app/series/pixel_columns.h"
#include "app/series/smoothed_series.h"

using namespace trainyard;

namespace {

constexpr double kNoValue = std::numeric_limits<double>::quiet_NaN();
constexpr qsizetype kLong = 80'000; ///< points of a curve of which only stretches are kept

QList<double> smoothed(const QList<double>& x, const QList<double>& y, const Smoothing& smoothing)
{
    SmoothedSeries series;
    series.follow(x, y, smoothing);
    const std::vector<double> values = series.values(0, series.size());
    return {values.begin(), values.end()};
}

/// Noise around a falling curve, with a gap now and then.
QList<double> noisy(qsizetype points)
{
    QList<double> y;
    for (qsizetype i = 0; i < points; ++i)
        y.append(i % 101 == 7 ? kNoValue : 1e4 / double(i + 100) + std::sin(double(i * i)));
    return y;
}

QList<double> evenly(qsizetype points)
{
    QList<double> x;
    for (qsizetype i = 0; i < points; ++i)
        x.append(double(i));
    return x;
}

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
    void exponentialAverageAsCalculatedByHand()
    {
        // w = 0.5: last 2, 3, 2.5; 1 - w^n: 1/2, 3/4, 7/8
        compare(exponentialAverage({4, 4 + 0.0, 2}, 0.5), {4, 4, (0.5 * (0.5 * 2 + 2) + 1) / 0.875});
        compare(exponentialAverage({8, 4}, 0.5), {8, 4 / 0.75});
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
        QTest::newRow("exponential") << int(SmoothingKind::Exponential);
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
        const auto with = smoothed({1, 2, 3, 4}, {9, kNoValue, 7, 6}, smoothing);
        const auto without = smoothed({1, 3, 4}, {9, 7, 6}, smoothing);
        compare(with, {without[0], kNoValue, without[1], without[2]});
    }

    void longCurvesAreSmoothedInStretches()
    {
        const QList<double> x = evenly(kLong);
        const QList<double> y = noisy(kLong);
        SmoothedSeries series;
        series.follow(x, y, {SmoothingKind::TimeWeighted, 0.6});
        const QList<double> expected = timeWeightedAverage(x, y, 0.6);
        compare({series.at(0), series.at(255), series.at(256), series.at(kLong - 1)},
                {expected[0], expected[255], expected[256], expected[kLong - 1]});
        for (const auto& [from, to] :
             {std::pair<qsizetype, qsizetype>{0, kLong}, {16, 32}, {160, 1024}, {kLong - 16, kLong}}) {
            ValueSummary sum;
            for (int row = from; row < to; ++row)
                sum.add(expected[row]);
            const ValueSummary actual = series.columns({from, to}).front();
            compare({actual.min, actual.max, actual.last}, {sum.min, sum.max, sum.last});
            QCOMPARE(actual.notFinite, sum.notFinite);
        }
    }

    void narrowPixelsShowTheirOwnAverages()
    {
        const QList<double> x = evenly(2412);
        QList<double> y = noisy(2412);
        y[1200] = 100; // which the average forgets within a few pixels
        SmoothedSeries series;
        series.follow(x, y, {SmoothingKind::TimeWeighted, 0.6});
        const QList<double> expected = timeWeightedAverage(x, y, 0.6);
        const std::vector<qsizetype> rows = pixelRows(x, pixelEdges(x.first(), x.last(), 650));
        const std::vector<ValueSummary> columns = series.columns(rows);
        QCOMPARE(columns.size(), std::size_t(650));
        for (std::size_t pixel = 0; pixel < columns.size(); ++pixel) {
            ValueSummary sum;
            for (qsizetype row = rows[pixel]; row < rows[pixel + 1]; ++row)
                sum.add(expected[row]);
            compare({columns[pixel].min, columns[pixel].max, columns[pixel].last},
                    {sum.min, sum.max, sum.last});
        }
    }

    void aPixelOfFewPointsAmongCrowdedOnesIsNotEmpty()
    {
        SmoothedSeries series;
        series.follow(evenly(kLong), noisy(kLong), {SmoothingKind::TimeWeighted, 0.6});
        const QList<double> expected = timeWeightedAverage(evenly(kLong), noisy(kLong), 0.6);
        const ValueSummary narrow = series.columns({0, 1604, 1606, kLong})[1];
        QCOMPARE(narrow.finite, std::uint64_t(2));
        compare({narrow.last}, {expected[1605]});
    }

    void aCurveThatGrowsIsGoneOnWith()
    {
        const QList<double> x = evenly(5000);
        const QList<double> y = noisy(5000);
        SmoothedSeries series;
        SeriesColumn grownX = x.first(4500);
        SeriesColumn grownY = y.first(4500);
        series.follow(grownX, grownY, {SmoothingKind::Exponential, 0.9});
        for (qsizetype row = 4500; row < 5000; ++row) {
            grownX.append(x[row]);
            grownY.append(y[row]);
            series.follow(grownX, grownY, {SmoothingKind::Exponential, 0.9});
        }
        QCOMPARE(series.starts(), 1);
        compare({series.at(4400), series.at(4999)},
                {exponentialAverage(y, 0.9)[4400], exponentialAverage(y, 0.9)[4999]});
        series.follow(grownX, grownY, {SmoothingKind::Exponential, 0.5});
        QCOMPARE(series.starts(), 2);
        grownY.truncate(4000); // a resumed run took steps back
        grownX.truncate(4000);
        grownY.append(7);
        grownX.append(4000);
        series.follow(grownX, grownY, {SmoothingKind::Exponential, 0.5});
        QCOMPARE(series.starts(), 3);
    }

    void curvesOfFewPointsAreSmoothed()
    {
        compare(smoothed({}, {}, {}), {});
        compare(smoothed({7}, {3}, {}), {3});
    }
};

QTEST_APPLESS_MAIN(TestSmoothing)
#include "tst_smoothing.moc"
