#include "engine/device/cuda/activation_launch.h"
#include "tests/device/kernels/kernel_test.h"
#include "tests/device/kernels/number_test.h"

using namespace trainyard;

namespace {

struct ValueAndSlope {
    double value, slope;
};

// By the functions' definitions; the slope as a difference of values would lose half of the digits.
ValueAndSlope pointHere(Activation activation, double x)
{
    switch (activation) {
    case Activation::Geglu:
    case Activation::Gelu: {
        const double below = 0.5 * std::erfc(-x / std::sqrt(2.0));
        return {x * below, below + x * std::exp(-x * x / 2) / std::sqrt(2 * M_PI)};
    }
    case Activation::GegluNew:
    case Activation::GeluNew: {
        const double u = std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x), t = std::tanh(u);
        return {x * (1 + t) / 2,
                (1 + t) / 2 + x / 2 * (1 - t * t) * std::sqrt(2 / M_PI) * (1 + 3 * 0.044715 * x * x)};
    }
    case Activation::Relu:
        return {std::max(x, 0.0), x > 0 ? 1.0 : 0.0};
    case Activation::Silu:
    case Activation::Swiglu: {
        const double s = 1 / (1 + std::exp(-x));
        return {x * s, s * (1 + x * (1 - s))};
    }
    }
    return {};
}

template <typename T>
void comparesActivation(Activation activation, std::int64_t rows, std::int64_t columns, bool hasBias,
                        std::size_t offset)
{
    using W = Wide<T>;
    const auto x = wave<T>(rows * columns, 0.37, 4), b = wave<T>(columns, 0.11, 1),
               g = wave<T>(rows * columns, 0.53, 1);
    DeviceArray<T> input(x, offset), bias(b), gradient(g, offset), output(x.size());
    DeviceArray<W> biasGradient{std::size_t(columns)};
    DeviceArray<W> scratch(std::size_t(activationScratch(columns)), std::numeric_limits<W>::quiet_NaN());
    const T* added = hasBias ? bias.data() : nullptr;
    LAUNCHES(launchActivation<T>(activation, input.data(), added, output.data(), rows, columns, nullptr));
    LAUNCHES(launchActivationGradient<T>(activation, gradient.data(), input.data(), added, gradient.data(),
                                         hasBias ? biasGradient.data() : nullptr, rows, columns,
                                         scratch.data(), nullptr));
    std::vector<double> valuesHere, gradientHere, sumsHere(std::size_t(columns), 0.0);
    for (std::size_t i = 0; i < x.size(); ++i) {
        const std::size_t column = i % std::size_t(columns);
        const auto point = pointHere(activation, numberOf(x[i]) + (hasBias ? numberOf(b[column]) : 0));
        valuesHere.push_back(point.value);
        gradientHere.push_back(numberOf(g[i]) * point.slope);
        sumsHere[column] += hasBias ? gradientHere.back() : 0;
    }
    compareNumbers(output.values(), valuesHere, 4);
    compareNumbers(gradient.values(), gradientHere, 4);
    compareNumbers(biasGradient.values(), sumsHere, 4 * double(rows));
}

} // namespace

/// Bias and activation in one kernel against a float64 loop.
class TestActivationKernels : public QObject {
    Q_OBJECT

private slots:
    void appliesFunctions_data()
    {
        QTest::addColumn<QString>("type");
        QTest::addColumn<int>("activation");
        for (const auto activation :
             {Activation::Gelu, Activation::GeluNew, Activation::Relu, Activation::Swiglu}) {
            for (const char* type : kNumberTypes)
                QTest::addRow("%d %s", int(activation), type) << type << int(activation);
        }
    }
    void appliesFunctions()
    {
        QFETCH(QString, type);
        QFETCH(int, activation);
        withNumberType(type,
                       [&]<typename T>() { comparesActivation<T>(Activation(activation), 7, 96, true, 0); });
    }

    void hasAnyShape_data()
    {
        QTest::addColumn<qint64>("rows");
        QTest::addColumn<qint64>("columns");
        QTest::addColumn<bool>("hasBias");
        QTest::addColumn<quint64>("offset");
        QTest::addRow("no bias") << qint64(5) << qint64(64) << false << quint64(0);
        QTest::addRow("odd columns") << qint64(5) << qint64(67) << true << quint64(0);
        QTest::addRow("not aligned") << qint64(5) << qint64(64) << true << quint64(3);
        QTest::addRow("one column") << qint64(3) << qint64(1) << true << quint64(0);
        QTest::addRow("several blocks of columns") << qint64(3) << qint64(5000) << true << quint64(0);
        QTest::addRow("more rows than blocks") << qint64(1030) << qint64(16) << true << quint64(0);
    }
    void hasAnyShape()
    {
        QFETCH(qint64, rows);
        QFETCH(qint64, columns);
        QFETCH(bool, hasBias);
        QFETCH(quint64, offset);
        comparesActivation<double>(Activation::Gelu, rows, columns, hasBias, offset);
        comparesActivation<BFloat16>(Activation::Gelu, rows, columns, hasBias, offset);
    }
};

QTEST_APPLESS_MAIN(TestActivationKernels)
#include "tst_activation_kernels.moc"
