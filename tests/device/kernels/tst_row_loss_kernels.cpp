#include "engine/device/cuda/row_loss_launch.h"
#include "tests/device/kernels/kernel_test.h"
#include "tests/device/kernels/number_test.h"

using namespace trainyard;

namespace {

template <typename T>
void comparesRowLosses(std::int64_t rows, std::int64_t columns, std::size_t offset, std::int64_t apart)
{
    using W = Wide<T>;
    const std::int64_t pitch = columns + apart;
    const auto z = wave<T>(rows * pitch, 0.37, 8);
    std::vector<std::int64_t> targetsHere;
    for (std::int64_t row = 0; row < rows; ++row)
        targetsHere.push_back(row * 31 % columns);
    DeviceArray<T> logits(z, offset);
    DeviceArray<std::int64_t> targets(targetsHere);
    DeviceArray<W> logSums{std::size_t(rows)};
    DeviceArray<W> upstream(1, W(0.5));
    DeviceArray<double> scratch{std::size_t(rows)}, sum(1);
    LAUNCHES(launchRowLosses<T>(logits.data(), targets.data(), rows, columns, pitch, logSums.data(),
                                scratch.data(), sum.data(), nullptr));
    LAUNCHES(launchRowLossGradient<T>(logits.data(), targets.data(), logSums.data(), upstream.data(), 4, rows,
                                      columns, pitch, logits.data(), nullptr));
    double sumHere = 0;
    std::vector<double> logSumsHere, gradientHere;
    for (std::int64_t row = 0; row < rows; ++row) {
        const std::size_t first = std::size_t(row * pitch),
                          target = std::size_t(targetsHere[std::size_t(row)]);
        double exponentials = 0;
        for (std::size_t i = 0; i < std::size_t(columns); ++i)
            exponentials += std::exp(numberOf(z[first + i]));
        logSumsHere.push_back(std::log(exponentials));
        sumHere += logSumsHere.back() - numberOf(z[first + target]);
        for (std::size_t i = 0; i < std::size_t(columns); ++i)
            gradientHere.push_back(2 *
                                   (std::exp(numberOf(z[first + i])) / exponentials - (i == target ? 1 : 0)));
        for (std::size_t i = std::size_t(columns); i < std::size_t(pitch); ++i)
            gradientHere.push_back(numberOf(z[first + i])); // what lies between rows stays
    }
    compareNumbers(logSums.values(), logSumsHere, 8);
    QVERIFY(std::abs(sum[0] - sumHere) < 64 * kRounding<W> * 16 * double(rows));
    compareNumbers(logits.values(), gradientHere, 4);
}

} // namespace

/// Cross entropy of rows by kernels against a float64 loop.
class TestRowLossKernels : public QObject {
    Q_OBJECT

private slots:
    void sumsLosses_data()
    {
        QTest::addColumn<QString>("type");
        QTest::addColumn<qint64>("rows");
        QTest::addColumn<qint64>("columns");
        QTest::addColumn<quint64>("offset");
        QTest::addColumn<qint64>("apart");
        for (const char* type : kNumberTypes) {
            QTest::addRow("%s", type) << type << qint64(5) << qint64(3001) << quint64(0) << qint64(0);
            QTest::addRow("%s, rows apart", type)
                << type << qint64(5) << qint64(3001) << quint64(0) << qint64(7);
            QTest::addRow("%s, not aligned", type)
                << type << qint64(3) << qint64(1000) << quint64(3) << qint64(0);
        }
        QTest::addRow("two columns") << "bfloat16" << qint64(7) << qint64(2) << quint64(1) << qint64(0);
        QTest::addRow("one column") << "float32" << qint64(2) << qint64(1) << quint64(0) << qint64(0);
        QTest::addRow("more rows than threads")
            << "float64" << qint64(300) << qint64(10) << quint64(0) << qint64(0);
    }
    void sumsLosses()
    {
        QFETCH(QString, type);
        QFETCH(qint64, rows);
        QFETCH(qint64, columns);
        QFETCH(quint64, offset);
        QFETCH(qint64, apart);
        withNumberType(type, [&]<typename T>() { comparesRowLosses<T>(rows, columns, offset, apart); });
    }

    void isNotANumberForATargetThatIsNoColumn()
    {
        DeviceArray<float> logits(20, 1.0f), logSums(2), upstream(1, 1.0f);
        DeviceArray<std::int64_t> targets(std::vector<std::int64_t>{3, 10});
        DeviceArray<double> scratch(2), sum(1);
        LAUNCHES(launchRowLosses<float>(logits.data(), targets.data(), 2, 10, 10, logSums.data(),
                                        scratch.data(), sum.data(), nullptr));
        QVERIFY(std::isnan(sum[0]));
        LAUNCHES(launchRowLossGradient<float>(logits.data(), targets.data(), logSums.data(), upstream.data(),
                                              1, 2, 10, 10, logits.data(), nullptr));
        QVERIFY(!std::isnan(logits[9]) && std::isnan(logits[10]) && std::isnan(logits[19]));
    }

    void isZeroWithoutRows()
    {
        DeviceArray<double> sum(1, 7.0);
        LAUNCHES(launchRowLosses<float>(nullptr, nullptr, 0, 10, 10, nullptr, nullptr, sum.data(), nullptr));
        QCOMPARE(sum[0], 0.0);
    }
};

QTEST_APPLESS_MAIN(TestRowLossKernels)
#include "tst_row_loss_kernels.moc"
