#include <cmath>

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTest>

#include "app/share/curve_tiles.h"

using namespace trainyard;

namespace {

NamedSeries curve(qsizetype rows)
{
    NamedSeries series{"loss", {}, {}, {}};
    for (qsizetype row = 0; row < rows; ++row) {
        series.steps.append(double(row + 1));
        series.values.append(row == 777 ? 99.0 : double(row % 7));
    }
    return series;
}

QList<double> numbers(const QJsonValue& array)
{
    QList<double> list;
    for (const QJsonValue& value : array.toArray())
        list << value.toDouble();
    return list;
}

} // namespace

class TestCurveTiles : public QObject {
    Q_OBJECT

private slots:
    void aShortCurveHasEveryPointInItsOverview()
    {
        const QJsonObject overview = QJsonDocument::fromJson(overviewScript(curve(2000))).object();
        QCOMPARE(overview["stride"].toInt(), 1);
        QCOMPARE(numbers(overview["x"]).size(), 2000);
        QCOMPARE(numbers(overview["min"])[777], 99.0);
        QVERIFY(!overview.contains("max"));
        QCOMPARE(tileCount(2000), 0);
    }

    void aLongCurveKeepsItsExtremesInTheOverview()
    {
        const QJsonObject overview = QJsonDocument::fromJson(overviewScript(curve(100'000))).object();
        const int stride = overview["stride"].toInt();
        QCOMPARE(stride, 64);
        const QList<double> most = numbers(overview["max"]);
        QVERIFY(most.size() <= kOverviewRows);
        QCOMPARE(most[777 / stride], 99.0);
        QCOMPARE(numbers(overview["x"])[777 / stride], double(777 / stride * stride + 1));
    }

    void tilesHaveEveryPoint()
    {
        const NamedSeries series = curve(10'000);
        QCOMPARE(tileCount(10'000), 3);
        QCOMPARE(tileStarts(series), (QList<double>{1, 4097, 8193}));
        QList<double> steps, values;
        for (qsizetype tile = 0; tile < 3; ++tile) {
            const QJsonArray both = QJsonDocument::fromJson(tileScript(series, tile)).array();
            steps << numbers(both[0]);
            values << numbers(both[1]);
        }
        QCOMPARE(steps, series.steps.toList());
        QCOMPARE(values, series.values.toList());
    }

    void whatIsNoNumberIsWrittenAsJavaScriptHasIt()
    {
        NamedSeries series{"norm", {1, 2, 3}, {}, {std::nan(""), HUGE_VAL, -HUGE_VAL}};
        QVERIFY2(overviewScript(series).contains("[NaN,Infinity,-Infinity]"),
                 overviewScript(series).constData());
    }
};

QTEST_APPLESS_MAIN(TestCurveTiles)
#include "tst_curve_tiles.moc"
