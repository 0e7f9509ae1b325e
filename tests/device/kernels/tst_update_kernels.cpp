#include <bit>
#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include "engine/base/kernel.h"
#include "engine/device/cuda/update_launch.h"
#include "engine/optim/update_elements.h"
#include "tests/device/kernels/kernel_test.h"

using namespace trainyard;

namespace {

constexpr std::int64_t kBlockThreads = 256;

template <typename T>
std::vector<T> waves(std::int64_t count, double frequency, double amplitude, double shift = 0)
{
    std::vector<T> values;
    for (std::int64_t i = 0; i < count; ++i)
        values.push_back(static_cast<T>(amplitude * std::sin(frequency * double(i + 1)) + shift));
    return values;
}

/// The tensors of an optimizer, as vectors for the loops here.
template <typename T>
struct Moments {
    explicit Moments(std::int64_t count)
        : weight(waves<T>(count, 0.37, 0.05))
        , average(waves<T>(count, 0.71, 0.1))
        , squareAverage(waves<T>(count, 0.13, 0.01, 0.02))
        , gradient(waves<T>(count, 0.11, 0.5))
    {
    }

    std::vector<T> weight, average, squareAverage, gradient;
};

/// The same where kernels work, each array `offset` elements behind a multiple of 16 bytes.
template <typename T>
struct DeviceMoments {
    DeviceMoments(const Moments<T>& m, std::size_t offset)
        : weight(m.weight, offset)
        , average(m.average, offset)
        , squareAverage(m.squareAverage, offset)
        , gradient(m.gradient, offset)
        , working(m.weight.size())
    {
    }
    MomentStreams<T> streams()
    {
        return {weight.data(), average.data(), squareAverage.data(), gradient.data()};
    }

    DeviceArray<T> weight, average, squareAverage, gradient;
    DeviceArray<std::uint16_t> working;
};

template <typename T>
constexpr AdamWCoefficients<T> kAdamW{T(0.5), T(0.1), T(0.999), T(0.001), T(0.01), T(1.1), T(1e-8), T(0.999)};
template <typename T>
constexpr LambCoefficients<T> kLamb{T(0.5), T(0.1), T(0.999), T(0.001), T(1.5), T(1.1), T(1e-6), T(0.01)};
template <typename T>
constexpr LambRates<T> kRates{T(0.02), T(0.01)};
template <typename T>
constexpr SgdCoefficients<T> kSgd{T(0.5), T(0.9), T(0.01), T(0.1)};

template <typename T>
std::vector<std::uint16_t> copyOf(const std::vector<T>& weights)
{
    std::vector<std::uint16_t> bits(weights.size());
    for (std::size_t i = 0; i < weights.size() && std::is_same_v<T, float>; ++i)
        bits[i] = bfloat16Bits(static_cast<float>(weights[i]));
    return bits;
}

template <typename T>
void compareMoments(DeviceMoments<T>& found, const Moments<T>& expected)
{
    QCOMPARE(found.weight.values(), expected.weight);
    QCOMPARE(found.average.values(), expected.average);
    QCOMPARE(found.squareAverage.values(), expected.squareAverage);
    QCOMPARE(found.gradient.values(), expected.gradient);
    QCOMPARE(found.working.values(), copyOf(expected.weight));
}

template <LambDirections directions, typename T>
std::vector<double> advanceLambHere(Moments<T>& m)
{
    std::vector<double> sums(lambColumns(directions));
    for (std::size_t i = 0; i < m.weight.size(); ++i) {
        advanceMoments(m.average[i], m.squareAverage[i], m.gradient[i] * kLamb<T>.gradientScale, kLamb<T>);
        const auto d =
            lambDirection<directions>(m.average[i], m.squareAverage[i], m.gradient[i], m.weight[i], kLamb<T>);
        sums[0] += squareOf(m.weight[i]);
        sums[1] += squareOf(d.first);
        if (sums.size() > 2)
            sums[2] += squareOf(d.second);
    }
    return sums;
}

template <LambDirections directions, typename T>
void applyLambHere(Moments<T>& m)
{
    for (std::size_t i = 0; i < m.weight.size(); ++i)
        m.weight[i] = lambElement<directions>(m.average[i], m.squareAverage[i], m.gradient[i], m.weight[i],
                                              kLamb<T>, kRates<T>);
}

/// Another order of addition.
void compareSums(const std::vector<double>& found, const std::vector<double>& expected)
{
    for (std::size_t i = 0; i < expected.size(); ++i)
        QVERIFY2(std::abs(found[i] / expected[i] - 1) < 1e-11, QByteArray::number(found[i], 'g', 17));
}

template <LambDirections directions, typename T>
void comparesLamb(std::int64_t count, std::size_t offset)
{
    Moments<T> expected(count);
    DeviceMoments<T> found(expected, offset);
    DeviceArray<double> scratch(kSumScratch, std::numeric_limits<double>::quiet_NaN());
    DeviceArray<double> sums(lambColumns(directions), std::numeric_limits<double>::quiet_NaN());
    LAUNCHES(launchAdvanceLamb(directions, found.streams(), count, kLamb<T>, scratch.data(), sums.data(),
                               nullptr));
    compareSums(sums.values(), advanceLambHere<directions>(expected));
    LAUNCHES(launchApplyLamb(directions, found.streams(),
                             std::is_same_v<T, float> ? found.working.data() : nullptr, count, kLamb<T>,
                             kRates<T>, nullptr));
    applyLambHere<directions>(expected);
    compareMoments(found, expected);
}

template <typename T>
void comparesAdamW(std::int64_t count, std::size_t offset)
{
    Moments<T> expected(count);
    DeviceMoments<T> found(expected, offset);
    LAUNCHES(launchAdamW(found.streams(), std::is_same_v<T, float> ? found.working.data() : nullptr, count,
                         kAdamW<T>, nullptr));
    for (std::size_t i = 0; i < expected.weight.size(); ++i)
        expected.weight[i] = adamWElement(expected.weight[i], expected.average[i], expected.squareAverage[i],
                                          expected.gradient[i], kAdamW<T>);
    compareMoments(found, expected);
}

template <typename T>
void comparesSgd(std::int64_t count, std::size_t offset)
{
    for (const bool hasMomentum : {false, true}) {
        Moments<T> expected(count);
        DeviceMoments<T> found(expected, offset);
        LAUNCHES(launchSgd(found.weight.data(), hasMomentum ? found.average.data() : nullptr,
                           static_cast<const T*>(found.gradient.data()), count, kSgd<T>, nullptr));
        for (std::size_t i = 0; i < expected.weight.size(); ++i) {
            T direction = sgdDirection(expected.gradient[i], expected.weight[i], kSgd<T>);
            if (hasMomentum)
                expected.average[i] = direction = kSgd<T>.momentum * expected.average[i] + direction;
            expected.weight[i] -= kSgd<T>.rate * direction;
        }
        QCOMPARE(found.weight.values(), expected.weight);
        QCOMPARE(found.average.values(), expected.average);
    }
}

template <typename T>
void comparesSquares(std::int64_t count, std::size_t offset)
{
    const auto values = waves<T>(count, 0.37, 3);
    DeviceArray<T> found(values, offset);
    DeviceArray<double> scratch(kSumScratch, std::numeric_limits<double>::quiet_NaN());
    DeviceArray<double> sum(1), again(1);
    double expected = 0;
    for (const T value : values)
        expected += squareOf(value);
    LAUNCHES(launchSquares(static_cast<const T*>(found.data()), count, scratch.data(), sum.data(), nullptr));
    LAUNCHES(
        launchSquares(static_cast<const T*>(found.data()), count, scratch.data(), again.data(), nullptr));
    compareSums(sum.values(), {expected});
    QCOMPARE(again[0], sum[0]);
}

/// Ranges of any size, one of them empty, in one launch.
template <typename T>
void comparesTables()
{
    const std::int64_t counts[] = {1, kRangeBlock, 0, 4 * kRangeBlock + 3, 7, kRangeBlock + 1};
    std::vector<std::unique_ptr<Moments<T>>> expected;
    std::vector<std::unique_ptr<DeviceMoments<T>>> found;
    RangeTable<AdamWRange<T>> updates;
    RangeTable<SquaresRange<T>> squares;
    DeviceArray<double> sums(std::size(counts), std::numeric_limits<double>::quiet_NaN());
    for (const std::int64_t count : counts) {
        expected.push_back(std::make_unique<Moments<T>>(count));
        found.push_back(std::make_unique<DeviceMoments<T>>(*expected.back(), found.size() % 2));
        std::uint16_t* const working = std::is_same_v<T, float> ? found.back()->working.data() : nullptr;
        squares.add({found.back()->streams().gradient, count, sums.data() + updates.count});
        updates.add({found.back()->streams(), working, count, kAdamW<T>});
    }
    DeviceArray<double> scratch(squares.blocks(), std::numeric_limits<double>::quiet_NaN());
    LAUNCHES(launchSquares(squares, scratch.data(), nullptr));
    LAUNCHES(launchAdamW(updates, nullptr));
    for (std::size_t range = 0; range < expected.size(); ++range) {
        Moments<T>& m = *expected[range];
        double sum = 0;
        for (std::size_t i = 0; i < m.weight.size(); ++i) {
            sum += squareOf(m.gradient[i]);
            m.weight[i] =
                adamWElement(m.weight[i], m.average[i], m.squareAverage[i], m.gradient[i], kAdamW<T>);
        }
        compareMoments(*found[range], m);
        QVERIFY(sum == 0 ? sums[range] == 0 : std::abs(sums[range] / sum - 1) < 1e-11);
    }
}

} // namespace

/// The passes of the optimizers by kernels: element by element the bits that the same arithmetic gives here.
class TestUpdateKernels : public QObject {
    Q_OBJECT

private slots:
    void passesGiveTheBitsOfTheProcessor_data()
    {
        QTest::addColumn<qint64>("count");
        QTest::addColumn<quint64>("offset");
        for (const qint64 count : {1, 3, 4, 257, 20001}) {
            QTest::addRow("%lld", count) << count << quint64(0);
            QTest::addRow("%lld, not aligned", count) << count << quint64(1);
        }
    }
    void passesGiveTheBitsOfTheProcessor()
    {
        QFETCH(qint64, count);
        QFETCH(quint64, offset);
        comparesAdamW<float>(count, offset);
        comparesAdamW<double>(count, offset);
        comparesLamb<LambDirections::Update, float>(count, offset);
        comparesLamb<LambDirections::Update, double>(count, offset);
        comparesLamb<LambDirections::MomentumAndGradient, float>(count, offset);
        comparesLamb<LambDirections::MomentumAndGradient, double>(count, offset);
        comparesSgd<float>(count, offset);
        comparesSgd<double>(count, offset);
        comparesSquares<float>(count, offset);
        comparesSquares<double>(count, offset);
    }

    void passesOverManyRangesAtOnce()
    {
        comparesTables<float>();
        comparesTables<double>();
    }

    void sumsMorePacksThanThreads()
    {
        constexpr qint64 kCount = kSumBlocks * kBlockThreads * 4 + 4099;
        comparesLamb<LambDirections::Update, float>(kCount, 0);
        comparesSquares<float>(kCount, 0);
    }

    // Devices make NaNs of all ones.
    void keepsNotANumberInTheWorkingCopy()
    {
        Moments<float> values(40);
        values.gradient[17] = std::bit_cast<float>(0x7fffffffu);
        DeviceMoments<float> found(values, 0);
        LAUNCHES(launchAdamW(found.streams(), found.working.data(), 40, kAdamW<float>, nullptr));
        QVERIFY(std::isnan(found.weight[17]));
        QVERIFY(std::isnan(std::bit_cast<float>(std::uint32_t{found.working[17]} << 16)));
    }

    void passesOverMoreThanTwoToThe31Elements()
    {
        constexpr std::int64_t kCount = (std::int64_t{1} << 31) + 12345;
        constexpr std::int64_t kGrid = 8192;
        const auto lastBlock = std::uint64_t((kCount - 1) % (kGrid * kBlockThreads) / kBlockThreads);
        SparseArray<float> weight(kCount), average(kCount), squareAverage(kCount), gradient(kCount);
        gradient[kCount - 1] = 0.5f;
        gradient[0] = 0.25f;
        const on_host::SomeBlocks blocks({0, lastBlock});
        LAUNCHES(launchAdamW<float>({weight.data(), average.data(), squareAverage.data(), gradient.data()},
                                    nullptr, kCount, kAdamW<float>, nullptr));
        for (const std::int64_t i : {std::int64_t{0}, kCount - 1}) {
            float m = 0, v = 0;
            const float expected = adamWElement(0.0f, m, v, gradient[std::size_t(i)], kAdamW<float>);
            QCOMPARE(weight[std::size_t(i)], expected);
            QVERIFY(expected != 0);
            QCOMPARE(average[std::size_t(i)], m);
        }
    }

    void sumsOverMoreThanTwoToThe31Elements()
    {
        constexpr std::int64_t kCount = (std::int64_t{1} << 31) + 12345;
        constexpr std::int64_t kPacks = kCount / 4, kGrid = 512;
        const auto lastBlock = std::uint64_t((kPacks - 1) % (kGrid * kBlockThreads) / kBlockThreads);
        SparseArray<float> values(kCount);
        values[kPacks * 4 - 1] = 3;
        values[kCount - 1] = 4; // behind the last pack: of block 0
        DeviceArray<double> scratch(kSumScratch, 0.0), sum(1);
        const on_host::SomeBlocks blocks({0, lastBlock});
        LAUNCHES(launchSquares(static_cast<const float*>(values.data()), kCount, scratch.data(), sum.data(),
                               nullptr));
        QCOMPARE(sum[0], 25.0);
    }
};

QTEST_APPLESS_MAIN(TestUpdateKernels)
#include "tst_update_kernels.moc"
