#include <QTest>

#include <array>
#include <cmath>
#include <vector>

#include "datasets/metrics/confusion_matrix.h"
#include "datasets/metrics/correlation.h"

using namespace trainyard;

namespace {

struct Classified {
    const char* name;
    int classes;
    const char* expected;  ///< one digit for each row
    const char* predicted; ///< likewise
    double accuracy;
    double f1; ///< of class 1
    double macroF1;
    double matthews;
};

// Made with scikit-learn 1.9.1: accuracy_score(), f1_score(labels=[1]), f1_score(average="macro") and
// matthews_corrcoef(). torchmetrics 1.9.0 gives the same in float32, but for the Matthews correlation of
// predictions of one class.
// clang-format off
const std::array kClassified = std::to_array<Classified>({
    {"two classes", 2,
     "1101000011010000110100010000000011000011",
     "1111000011110000100101010001000011000011",
     0.875, 0.8387096774193549, 0.8683344305464121, 0.7474980048088188},
    {"three classes", 3,
     "1220121100202211020022100221112100201100",
     "2210121122201210001022201221112202211110",
     0.65, 0.6428571428571429, 0.6470693224816163, 0.48578446358325406},
    {"five classes, one absent", 5,
     "322223213223131123203133332332",
     "023110110223131322203132302332",
     0.6333333333333333, 0.6666666666666666, 0.5840909090909091, 0.504242195230362},
    {"one class predicted", 2,
     "01101101",
     "11111111",
     0.625, 0.7692307692307693, 0.38461538461538464, 0.0},
    {"class only predicted", 3,
     "010110",
     "020120",
     0.6666666666666666, 0.5, 0.5, 0.6030226891555273},
    {"all wrong", 2,
     "0101",
     "1010",
     0.0, 0.0, 0.0, -1.0},
    {"all right", 2,
     "011",
     "011",
     1.0, 1.0, 1.0, 1.0},
});

struct Numbers {
    const char* name;
    std::vector<double> a;
    std::vector<double> b;
    double pearson;
    double spearman;
};

// Made with scipy 1.17.1: pearsonr() and spearmanr(). torchmetrics 1.9.0 agrees to 1e-6.
const std::array kNumbers = std::to_array<Numbers>({
    {"numbers",
     {2.75, 3.54, 1.45, 2.55, 4.46, 4.48, 0.63, 1.04, 0.26, 2.2, 0.15, 2.28},
     {1.44, 4.42, 2.33, 4.26, 4.51, 4.08, 0.08, 0, 1.24, 1.1, 0, 2.07},
     0.8452158609412739, 0.8161133356141735},
    {"ties",
     {0, 1, 2, 2, 3, 3, 3, 5, 4.5, 0},
     {0.2, 1.1, 1.1, 2.5, 2.4, 3.0, 3.0, 4.8, 5.0, 0.2},
     0.9656602976340249, 0.9377356576761406},
    {"falling",
     {1, 2, 3, 4},
     {8, 6, 4, 2},
     -1.0, -1.0},
    {"two",
     {1, 2},
     {3, 3.5},
     1.0, 0.9999999999999999},
    {"large mean",
     {1000000.0, 1000001.0, 1000002.0, 1000003.0, 1000004.0, 1000005.0},
     {1000000.0, 1000001.0, 1000004.0, 1000009.0, 1000016.0, 1000025.0},
     0.9598832852883319, 1.0},
});
// clang-format on

ConfusionMatrix matrixOf(const Classified& rows)
{
    ConfusionMatrix matrix(rows.classes);
    for (std::size_t i = 0; rows.expected[i]; ++i)
        matrix.add(rows.expected[i] - '0', rows.predicted[i] - '0');
    return matrix;
}

bool isClose(double a, double b)
{
    return std::abs(a - b) < 1e-12;
}

} // namespace

class TestClassificationMetrics : public QObject {
    Q_OBJECT

private slots:
    void classifiesAsScikitLearnDoes_data()
    {
        QTest::addColumn<int>("index");
        for (std::size_t i = 0; i < kClassified.size(); ++i)
            QTest::addRow("%s", kClassified[i].name) << int(i);
    }
    void classifiesAsScikitLearnDoes()
    {
        QFETCH(int, index);
        const Classified& rows = kClassified[std::size_t(index)];
        const ConfusionMatrix matrix = matrixOf(rows);
        QVERIFY(isClose(matrix.accuracy(), rows.accuracy));
        QVERIFY(isClose(matrix.f1(1), rows.f1));
        QVERIFY(isClose(matrix.macroF1(), rows.macroF1));
        QVERIFY(isClose(matrix.matthews(), rows.matthews));
    }

    void countsOfBatchesAddUp()
    {
        const ConfusionMatrix whole = matrixOf(kClassified[0]);
        ConfusionMatrix sum(2);
        for (int expected = 0; expected < 2; ++expected) {
            for (int predicted = 0; predicted < 2; ++predicted) {
                ConfusionMatrix part(2);
                for (std::int64_t i = 0; i < whole.count(expected, predicted); ++i)
                    part.add(expected, predicted);
                sum.add(part);
            }
        }
        QCOMPARE(sum.count(), whole.count());
        QCOMPARE(sum.matthews(), whole.matthews());
    }

    void isZeroWithoutRows()
    {
        const ConfusionMatrix empty(3);
        QCOMPARE(empty.accuracy(), 0.0);
        QCOMPARE(empty.macroF1(), 0.0);
        QCOMPARE(empty.matthews(), 0.0);
    }

    void correlatesAsScipyDoes_data()
    {
        QTest::addColumn<int>("index");
        for (std::size_t i = 0; i < kNumbers.size(); ++i)
            QTest::addRow("%s", kNumbers[i].name) << int(i);
    }
    void correlatesAsScipyDoes()
    {
        QFETCH(int, index);
        const Numbers& numbers = kNumbers[std::size_t(index)];
        QVERIFY(isClose(pearsonCorrelation(numbers.a, numbers.b).value(), numbers.pearson));
        QVERIFY(isClose(spearmanCorrelation(numbers.a, numbers.b).value(), numbers.spearman));
    }

    void correlatesNoConstants()
    {
        const std::vector<double> rising{1, 2, 3};
        const std::vector<double> constant{2, 2, 2};
        QVERIFY(!pearsonCorrelation(rising, constant));
        QVERIFY(!spearmanCorrelation(constant, rising));
        QVERIFY(!pearsonCorrelation({}, {}));
    }
};

QTEST_APPLESS_MAIN(TestClassificationMetrics)
#include "tst_classification_metrics.moc"
