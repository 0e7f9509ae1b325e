#include "engine/device/cuda/norm_launch.h"
#include "tests/device/kernels/kernel_test.h"
#include "tests/device/kernels/number_test.h"

using namespace trainyard;

namespace {

constexpr double kEpsilon = 1e-5;
const DropoutRates kDropout{1u << 30, 1.0 / 0.75, {{42, 7}, 5, 3, 0}};

struct NormCase {
    std::int64_t rows;
    std::int64_t width;
    bool hasBias;
    bool hasResidual;
    bool drops;
};

std::vector<TokenPlace> placesOf(std::int64_t rows)
{
    std::vector<TokenPlace> places;
    for (std::int64_t row = 0; row < rows; ++row)
        places.push_back({std::uint64_t(row / 3) << 31, row % 3 * 7});
    return places;
}

/// 0 or the scale for each element, from the processor's mask.
std::vector<double> factorsOf(const NormCase& c)
{
    std::vector<double> factors(std::size_t(c.rows * c.width), 1.0);
    const auto places = placesOf(c.rows);
    std::vector<std::uint8_t> mask(std::size_t(c.width));
    for (std::int64_t row = 0; row < c.rows && c.drops; ++row) {
        DropoutStream stream = kDropout.site;
        stream.sample = places[std::size_t(row)].sample;
        fillDropoutMask(mask.data(), places[std::size_t(row)].position * c.width, c.width, kDropout.dropBelow,
                        stream);
        for (std::int64_t i = 0; i < c.width; ++i)
            factors[std::size_t(row * c.width + i)] = mask[std::size_t(i)] ? kDropout.scale : 0.0;
    }
    return factors;
}

template <typename T>
struct NormInputs {
    explicit NormInputs(const NormCase& c)
        : input(wave<T>(c.rows * c.width, 0.37, 1.5))
        , bias(wave<T>(c.width, 0.11, 0.5))
        , residual(wave<T>(c.rows * c.width, 0.71, 1, 0.25))
        , weight(wave<T>(c.width, 0.29, 0.5, 1))
        , shift(wave<T>(c.width, 0.17, 0.5))
        , gradient(wave<T>(c.rows * c.width, 0.53, 1))
    {
    }
    std::vector<T> input, bias, residual, weight, shift, gradient;
};

/// One row of the float64 loop.
struct NormRow {
    std::vector<double> sum, output, ds;
    double mean = 0, scale = 0;
};

template <typename T>
NormRow rowHere(const NormCase& c, const NormInputs<T>& in, const std::vector<double>& factors,
                const std::vector<T>& sums, std::int64_t row)
{
    const auto width = std::size_t(c.width);
    NormRow r;
    for (std::size_t i = 0; i < width; ++i) {
        const std::size_t at = std::size_t(row) * width + i;
        const double added = c.hasBias ? numberOf(in.bias[i]) : 0;
        const double residual = c.hasResidual ? numberOf(in.residual[at]) : 0;
        r.sum.push_back((numberOf(in.input[at]) + added) * factors[at] + residual);
    }
    // What follows is of the sum as it was rounded.
    std::vector<double> s;
    for (std::size_t i = 0; i < width; ++i)
        s.push_back(numberOf(sums[std::size_t(row) * width + i]));
    for (const double value : s)
        r.mean += value / double(width);
    double variance = 0;
    for (const double value : s)
        variance += (value - r.mean) * (value - r.mean) / double(width);
    r.scale = 1 / std::sqrt(variance + kEpsilon);
    double meanP = 0, meanPH = 0;
    const auto h = [&](std::size_t i) { return (s[i] - r.mean) * r.scale; };
    const auto p = [&](std::size_t i) {
        return numberOf(in.gradient[std::size_t(row) * width + i]) * numberOf(in.weight[i]);
    };
    for (std::size_t i = 0; i < width; ++i) {
        r.output.push_back(h(i) * numberOf(in.weight[i]) + numberOf(in.shift[i]));
        meanP += p(i) / double(width);
        meanPH += p(i) * h(i) / double(width);
    }
    for (std::size_t i = 0; i < width; ++i)
        r.ds.push_back(r.scale * (p(i) - meanP - h(i) * meanPH));
    return r;
}

template <typename T>
void comparesNorm(const NormCase& c)
{
    using W = Wide<T>;
    const NormInputs<T> in(c);
    const auto count = std::size_t(c.rows * c.width);
    DeviceArray<T> input(in.input), bias(in.bias), residual(in.residual), weight(in.weight), shift(in.shift);
    DeviceArray<T> gradient(in.gradient), sum(count), output(count), sumGradient(count), inputGradient(count);
    DeviceArray<TokenPlace> places(placesOf(c.rows));
    DeviceArray<W> statistics(std::size_t(2 * c.rows)), sums(std::size_t(3 * c.width));
    DeviceArray<W> scratch(std::size_t(normScratch(c.width)), std::numeric_limits<W>::quiet_NaN());
    // Of the input alone the sum is the input.
    const bool isAlone = !c.hasBias && !c.hasResidual && !c.drops;
    DeviceArray<T>& kept = isAlone ? input : sum;
    LAUNCHES(launchAddNorm<T>({input.data(), c.hasBias ? bias.data() : nullptr,
                               c.hasResidual ? residual.data() : nullptr, c.drops ? places.data() : nullptr,
                               weight.data(), shift.data(), isAlone ? nullptr : sum.data(), output.data(),
                               statistics.data()},
                              c.rows, c.width, kEpsilon, kDropout, nullptr));
    LAUNCHES(launchAddNormGradient<T>({gradient.data(), kept.data(), statistics.data(),
                                       c.drops ? places.data() : nullptr, weight.data(), sumGradient.data(),
                                       c.drops ? inputGradient.data() : nullptr, sums.data()},
                                      c.rows, c.width, kDropout, scratch.data(), nullptr));
    const auto factors = factorsOf(c);
    std::vector<double> sumHere, outputHere, dsHere, dxHere, statisticsHere;
    std::vector<double> sumsHere(std::size_t(3 * c.width));
    for (std::int64_t row = 0; row < c.rows; ++row) {
        const NormRow r = rowHere(c, in, factors, kept.values(), row);
        sumHere.insert(sumHere.end(), r.sum.begin(), r.sum.end());
        outputHere.insert(outputHere.end(), r.output.begin(), r.output.end());
        dsHere.insert(dsHere.end(), r.ds.begin(), r.ds.end());
        statisticsHere.insert(statisticsHere.end(), {r.mean, r.scale});
        for (std::size_t i = 0; i < std::size_t(c.width); ++i) {
            const std::size_t at = std::size_t(row * c.width) + i;
            const double dy = numberOf(in.gradient[at]);
            dxHere.push_back(r.ds[i] * factors[at]);
            sumsHere[i] += dy * (numberOf(kept[at]) - r.mean) * r.scale;
            sumsHere[std::size_t(c.width) + i] += dy;
            sumsHere[std::size_t(2 * c.width) + i] += dxHere.back();
        }
    }
    compareNumbers(kept.values(), sumHere);
    compareNumbers(output.values(), outputHere);
    compareNumbers(statistics.values(), statisticsHere);
    compareNumbers(sumGradient.values(), dsHere);
    if (c.drops)
        compareNumbers(inputGradient.values(), dxHere);
    compareNumbers(sums.values(), sumsHere, double(c.rows));
}

} // namespace

/// Bias, dropout, residual and LayerNorm in one kernel against a float64 loop.
class TestNormKernels : public QObject {
    Q_OBJECT

private slots:
    void addsAndNormalises_data()
    {
        QTest::addColumn<QString>("type");
        QTest::addColumn<qint64>("rows");
        QTest::addColumn<qint64>("width");
        QTest::addColumn<bool>("hasBias");
        QTest::addColumn<bool>("hasResidual");
        QTest::addColumn<bool>("drops");
        for (const char* type : kNumberTypes)
            QTest::addRow("%s", type) << type << qint64(5) << qint64(768) << true << true << true;
        QTest::addRow("norm alone") << "float64" << qint64(3) << qint64(64) << false << false << false;
        QTest::addRow("without dropout") << "float32" << qint64(4) << qint64(1024) << true << true << false;
        for (const qint64 width : {1088, 1600, 4160, 8192})
            QTest::addRow("width %lld", width) << "float64" << qint64(3) << width << true << true << true;
        for (const qint64 width : {64, 512, 1024, 2048, 2112, 4160})
            QTest::addRow("packs, width %lld", width)
                << "bfloat16" << qint64(11) << width << true << true << true;
        QTest::addRow("packs without dropout")
            << "float16" << qint64(9) << qint64(320) << true << false << false;
        QTest::addRow("packs, norm alone")
            << "bfloat16" << qint64(9) << qint64(256) << false << false << false;
        QTest::addRow("packs, more rows than warps")
            << "bfloat16" << qint64(4 * kNormSlots + 3) << qint64(64) << true << true << true;
        QTest::addRow("more rows than slots")
            << "float32" << qint64(kNormSlots + 3) << qint64(64) << true << true << true;
    }
    void addsAndNormalises()
    {
        QFETCH(QString, type);
        QFETCH(qint64, rows);
        QFETCH(qint64, width);
        QFETCH(bool, hasBias);
        QFETCH(bool, hasResidual);
        QFETCH(bool, drops);
        withNumberType(type, [&]<typename T>() {
            comparesNorm<T>({rows, width, hasBias, hasResidual, drops});
        });
    }

    void refusesWidthsThatAreNoWholeGroups()
    {
        QCOMPARE(launchAddNorm<float>({}, 1, 100, kEpsilon, kDropout, nullptr), cudaErrorInvalidValue);
        QCOMPARE(launchAddNormGradient<float>({}, 1, 8256, kDropout, nullptr, nullptr),
                 cudaErrorInvalidValue);
    }
};

QTEST_APPLESS_MAIN(TestNormKernels)
#include "tst_norm_kernels.moc"
